/* Every tolerance of the library with its unit and its reason. The chain, relative to the bodies:
 * rounding << solver tolerance << kept gap << thickness. */
#ifndef CN_TOLERANCE_H
#define CN_TOLERANCE_H

/* Rotation. */
#define CN_INNER_TURN 0.06 /* rad: longest turn of one splitting step; second order: energy within 1e-4 for any box */
#define CN_PIECE_TURN 1.5  /* rad: longest turn between two keys; below pi/2 by more than E drifts in a frame */
#define CN_MAX_PIECES 64   /* keys a frame: 64 x 1.5 rad at 30 frames a second is 2880 rad/s */
#define CN_CUT_LEAST 1e-6  /* of a frame: script keys nearer than this to a frame or to each other are taken together */
#define CN_SYMMETRY 1e-12 /* relative: two principal moments this close count as equal (rounding of a mesh's inertia) */

/* Input. Sizes outside these are refused: with them every product the geometry forms stays within double's range. */
#define CN_LENGTH_LEAST 1e-9   /* m: smallest extent of a shape */
#define CN_LENGTH_MOST 1e9     /* m: largest extent, coordinate and offset */
#define CN_SPEED_MOST 1e9      /* m/s and rad/s */
#define CN_MASS_LEAST 1e-30    /* kg: a cube of 1e-9 m at 1e-3 kg/m^3 */
#define CN_MASS_MOST 1e40      /* kg */
#define CN_INERTIA_LEAST 1e-50 /* kg m^2: the smallest mass at the smallest length, and some */
#define CN_INERTIA_MOST 1e60
#define CN_FORCE_MOST 1e30      /* N and N m: the most that a motor pushes with */
#define CN_HINGE_MOST 1e6       /* rad: a hinge's limits; an angle of so many turns still has nine places */
#define CN_JOINT_SLIP 1e-6      /* relative: a length this far outside its limits at the start is one printed short */
#define CN_COUNT_MOST 10000000u /* bodies, points, triangles, parts of one scene */
#define CN_EMIT_ROOM 65536u     /* bodies still to be emitted that a world makes room for at the start: about 70 MB */
#define CN_SEED_MOST 9007199254740992ull /* 2^53 */
#define CN_UNIT_ERROR 1e-3               /* a quaternion or normal this far from length 1 is taken for a mistake */
#define CN_INERTIA_ERROR 1e-9 /* relative slack of the triangle inequality of moments: rounding of printed numbers */

/* Geometry. */
#define CN_PARALLEL 1e-8 /* rad: edges this close count as parallel; their axis would add less than this x size */
#define CN_HULL_ULPS                                                                                                   \
	32 /* a hull's points count as on it up to this x DBL_EPSILON x the largest coordinate: three
                                 times the worst rounding of a distance to a plane, so what is beyond it is outside */
#define CN_SWEEP_ULPS                                                                                                  \
	16 /* x DBL_EPSILON x the coordinates: taken off every separation that a proof of motion rests on */
#define CN_SWEEP_TURNING 0.9    /* cosine: an axis that turns further in one piece proves little */
#define CN_REACH_TOLERANCE 1e-6 /* of the smaller part: how near the proof of a frame comes to the first touch */
#define CN_FLAT_BOX 1e-9        /* of the largest half edge: the least one of a box about a mesh */
#define CN_UNIT_ROUNDING 1e-12  /* two unit vectors this close are the same one: a few turns' worth of rounding */
#define CN_SEPARATE_SLACK                                                                                              \
	1e-10 /* of the smaller part: a separation is confirmed to this, a tenth of what is promised */
#define CN_SEPARATE_PLACE                                                                                              \
	1e-12 /* of both cores: error of a point's place along an edge, where edges are nearly parallel */
#define CN_SEPARATE_TURNED 0.99 /* cosine: a face or edge pair further from a guessed axis is not what it stands for */
#define CN_SEPARATE_PARALLEL 1e-15 /* sine: edges nearer than this have no common square; it would be rounding alone */
#define CN_SEPARATE_SLIVER 1e-3    /* sine: flatter triangles are measured along their two shorter edges */
#define CN_SEPARATE_LINE 1e-14     /* sine: flatter triangles have no plane, up to rounding */
#define CN_SEPARATE_FULL                                                                                               \
	1e-3                    /* volume of a tetrahedron, of the product of three edges: with less it is no good start */
#define CN_BALLS_APART 1e-9 /* of the radii: centres nearer than this have no line between them to speak of */
#define CN_SEPARATE_ULPS 8  /* x DBL_EPSILON x (the centres' distance and both radii): rounding of a separation */
#define CN_CROWDED 1e-5 /* of the radius: heights at the ends of a shorter edge differ by rounding in slopes of 1e-10 */
#define CN_FLAT_VOLUME 1e-14 /* a closed surface with less volume than this x its area x its extent is flat: rounding */
#define CN_CONTACT_FLAT 0.5  /* cosine: a face steeper than this against the plane does not lie against it */
#define CN_CONTACT_STEEP 0.8 /* sine: nor an edge steeper than this; both keep the way back from the plane well posed */
#define CN_CONTACT_MERGE 1e-12  /* of the smaller part's size: corners of a contact polygon this close are one */
#define CN_CONTACT_CLOSEST 1e-9 /* of the smaller part's size: what a separation promises of its gap ... */
#define CN_CONTACT_ROUND 1e-7   /* ... and with a cylinder */
#define CN_CONTACT_ALIKE 64     /* sizes of a face and of an edge on it: up to here digits about the face's middle do */
#define CN_CONTACT_ULPS 16      /* x DBL_EPSILON x the coordinates: what a corner drawn on the plane may be off by */

/* Contact (docs/oba.md). A chain: rounding << solver << kept gap << thickness. */
#define CN_KEPT_GAP                                                                                                    \
	1e-3                /* of the thinner part: bodies turn in contact by 0.1 rad a frame within it (theta^2 rho / 8) */
#define CN_KEPT_ULPS 64 /* x DBL_EPSILON x the coordinates: never below what a proof can see */
#define CN_REOPEN_FALLS 6.5 /* x sqrt(thickness/g): the time in which a pair that moves gets its gap back ... */
#define CN_REOPEN_FRAMES 16 /* ... or so many frames, where there is no gravity for it to cost anything */
#define CN_REOPEN_SWING 0.1 /* of the pair's swing beyond ... */
#define CN_REOPEN_FAST 20.0 /* ... so many kept gaps: what turns fast may open at once */
#define CN_STILL 1e-3       /* x g dt: what touches without a gap and is slower stays */
#define CN_ASK_PROOF                                                                                                   \
	5.0 /* x the bulge of a pair's turning: what it asks for at once; 4 proves a way that begins touching */
#define CN_ASKED_LEAST 0.5  /* of what rows ask for: a solver's answer that lacks more is mended */
#define CN_TOUCHING_ULPS 64 /* x DBL_EPSILON x the coordinates: a start that overlaps by less is touching */
#define CN_SHOWN_GAP 0.01   /* of the thinner part: points this near count as contacts though they press on nothing */
#define CN_NEAR_MARGIN 0.03 /* of the thickness: boxes grow by this beside their motion */
#define CN_NEAR_LEAST 0.1   /* of that margin: with less left, a box grows anew */
#define CN_REACH_MOTION 1.0 /* of the pair's free motion: gaps beyond it are of no interest ... */
#define CN_REACH_PAD 0.02   /* ... and this much of the thickness, for what neighbours push */
#define CN_SLAB_MOTION 1.0  /* of the pair's free motion: vertices that near the plane get points ... */
#define CN_SLAB_MOST 0.5    /* ... up to this of the smaller part's size ... */
#define CN_SLAB_PAD 0.01    /* ... and this much of the thickness */
#define CN_BOUNCE_LEAST 0.5 /* x g dt: what gravity brings in half a frame is no impact */
#define CN_REST_RANGE 1.0   /* x g dt^2: contacts that gravity alone may close within the frame are in the rest solve */
#define CN_REST_LEAVES                                                                                                 \
	0.02 /* of the restitution threshold: a contact that leaves faster may come back within the frame */
#define CN_REST_PRESSED                                                                                                \
	0.3 /* of that threshold: what leaves faster and is pressed back is held; slower ones, held so, would be pushed on */
#define CN_LEFT_SAME 1e-9 /* relative: a speed this little above one that was remembered is that one */
#define CN_REST_SWEEPS 40
#define CN_COLD_SWEEPS 600 /* in the first frame of a scene that begins in contact: it has nothing to start from */
#define CN_FORESEE_LEAST                                                                                               \
	1e-6              /* x g: what turning changes of a contact's speed in a second; less is what solves leave over */
#define CN_RIDES 1e-9 /* of an arm: a contact point that turns so with a body is one of it */
#define CN_STEADY                                                                                                      \
	0.25 /* of its way: one that leaves the chord further wanders at random; a rim turns by 1.8 rad in it */
#define CN_PUSHES_FIRST                                                                                                \
	0.25 /* of a contact point's way: it pushes no earlier, and no later than as much before its end */
#define CN_REST_TOLERANCE 1e-7 /* x g dt: what rests is to be left with a hundred times that at most */
#define CN_BOUNCE_SWEEPS 40
#define CN_ROLLING_ROUNDS 3      /* of rest solves with what resists rolling: a body alone needs one */
#define CN_BOUNCE_TOLERANCE 1e-5 /* x g dt: far below what makes a body leave its place */
#define CN_SLIDE_LIMIT 0.999     /* of the cone: friction beyond it is sliding ... */
#define CN_SLIDE_SPEED                                                                                                 \
	2e-3 /* ... if the point moves faster than this x the restitution threshold: what is slower counts as sticking */
#define CN_REGION_CONTACTS 1600 /* of a program that is cut in two: ten microseconds of a sweep */
#define CN_REGION_MORE 16       /* x that: it is cut into twice as many, which leaves more between them */
#define CN_CALM_SPEED 0.03      /* x g dt: a body slower than this ... */
#define CN_CALM_FAR 5e-3        /* ... that stays within this, of its radius, of one place ... */
#define CN_CALM_FRAMES 30       /* ... for so many frames, ... */
#define CN_CALM_FALLS                                                                                                  \
	3.3 /* x sqrt(radius/g), the time of a fall: ... and for so long, is at rest while what holds it leaves it no more speed */
#define CN_PAY_LEAST                                                                                                   \
	1e-6 /* of an island's weight x a body's radius: energy that a frame's mending may bring it for nothing */
#define CN_HEAVE_TRIES 3     /* passes that lift an island for nothing, each with half the step: then it stays */
#define CN_TIRED 0.5         /* of its speed: what a body keeps that stays for a second frame, ... */
#define CN_TIRED_GAIN 1e-3   /* ... if its island has not won this part of its kinetic energy in the frame */
#define CN_SLEEP_LATER 1.5   /* x that: so long at rest, all of it, an island falls asleep */
#define CN_CALM_MOST 40000   /* frames that are counted at most */
#define CN_FREEZE_SPEED 0.03 /* x g dt: a body that a trial of rest leaves less holds; as much as at rest ... */
#define CN_CREEP_SPEED 3e-3 /* ... if it has less than this, 1 mm/s, now or afterwards: what has more creeps or rolls */
#define CN_THAW_SPEED 0.1   /* x g dt: a frozen body that a trial leaves more has lost its hold, and wakes */
#define CN_FREEZE_AGAIN 8   /* frames: so often those that did not hold are tried again, all together */
#define CN_FREEZE_HOPS 3    /* contacts from what is awake: so far frozen bodies are tried */
#define CN_FREEZE_ROUNDS 6  /* of leaving out who does not hold; then all that would freeze wait */
#define CN_TRIAL_SWEEPS 80  /* of such a trial: often cold, and judged to a part in three hundred of a frame's fall */
#define CN_REVIVE_BLOWS 100 /* of the queue that wakes frozen bodies, unless the scene says how many */
#define CN_TEXT_NEAR 0.5    /* of the kept gap beyond what is held: contacts of the text's rest programs touch */
#define CN_TEXT_CONTACTS 2000 /* of an island for the text's own programs: some ten seconds, and memory to match */
#define CN_TEXT_GAIN 1e-9     /* relative: a blow that leaves more energy is not the text's to give */
#define CN_TOUCH_GAP 1.5      /* x what rows asked for: points nearer than this touch */
#define CN_TOUCH_MOMENT                                                                                                \
	2e-3 /* of a frame: ... plus what they near in this time: a flat blow hits all corners at once */
#define CN_TOUCH_PUSHED 20.0 /* x the kept gap: so do points this near whose rows stopped their bodies */
#define CN_ALIKE 1000.0     /* of masses: bodies that differ by less are hit where a row without a point stopped them */
#define CN_BLOW_MOST 2.0    /* x the speed of scripts: the most that a true blow gives; what gets more is squeezed */
#define CN_SPIN_MOST 60.0   /* rad a frame: no impact gives more; a body's keys show up to 96 */
#define CN_IMPACT_BALLS 8   /* of an island at most that bounces inside the frame ... */
#define CN_IMPACT_PAIRS 64  /* ... with so many pairs ... */
#define CN_IMPACT_BLOWS 64  /* ... and so many blows: the tail of a bounce ends before */
#define CN_IMPACT_LOOKS 3   /* at where struck balls come to, and what is there */
#define CN_IMPACT_ROUNDS 40 /* planes tried to find a blow: four are usual, a graze takes more */
#define CN_IMPACT_GAP 1e-6  /* of the kept gap: so near is there */
#define CN_IMPACT_LEAST 1e-3 /* x g dt: slower blows are rest; they would rise 5e-7 g dt^2 */
#define CN_HYBRID_FAST                                                                                                 \
	0.1 /* of the thinner part, a frame: pairs that move further against each other bounce inside the frame (OBA 6.6) */
#define CN_HYBRID_LEAST 1e-3 /* of the thinner part, a frame: slower is no blow, where there is no gravity to say so */
#define CN_HYBRID_NEAR 0.05  /* of the kept gap: so near is there; a fiftieth of a percent of a thin wall */
#define CN_HYBRID_ROUNDS 60  /* planes tried to find a blow: four are usual, a tumbling box that passes by takes more */
#define CN_HYBRID_TRIES 6    /* lengths of a step tried with each */
#define CN_HYBRID_LEAP 1e-3  /* of a frame: two that have just parted are looked at again after this */
#define CN_HYBRID_ROOM 1.0   /* of bodies' radii: room about the ways of those under rows that others fly past */
#define CN_HYBRID_BLOWS 16   /* of a body in a frame, at most */
#define CN_QUEUE_BODIES 50   /* of an island at most for the sequential queue */
#define CN_QUEUE_TIE 1e-9    /* relative: points that near so equally are one batch */
#define CN_PASSES 6          /* position programs a frame at most; one or two are usual */
#define CN_PASS_TURN 0.2     /* rad a body turns in one of them */
#define CN_PASS_STIFF 0.25   /* of a body's radius: pushed further than this, it gives way by turning less and less */
#define CN_BLOWN 1e-4        /* as much as at rest, if a blow is all that stops it: its arm is that of where it meets */
#define CN_BLOWN_SWING 0.1 /* of its way, that it may turn by in that: one that turns further would be lifted instead */
#define CN_YIELD 4.0       /* x that: ... and gives way more and more, ... */
#define CN_YIELD_MOST 100.0 /* ... up to this x as much as at rest */
#define CN_TURNED_DEEP 0.25 /* of the thinner part: turned poses that overlap deeper do not tell the side any more */
#define CN_CORNER 0.7       /* cosine: planes that differ by more are of different sides of a body */
#define CN_SUPPORT_FAST                                                                                                \
	0.08 /* of the thinner part: pairs that swing so far are kept on their sides of the plane they begin with, too */
#define CN_AHEAD 0.2 /* of the thinner part: pairs that pass each other by less have the planes of where they go; ... */
#define CN_AHEAD_STEPS                                                                                                 \
	0.5 /* ... in a frame of several steps, which few bodies take: in a crowd such planes led to ways that are not free */
#define CN_SUPPORT_SWING 1.0 /* of the kept gap: points that swing further bring new vertices into play */
#define CN_DASH 1.0 /* of a body's radius: what goes so far in a frame may come to be on the other side of another */
#define CN_DASH_ALONG 0.5 /* of the two's motion: what nears by less of it only glances off */
#define CN_PASS_FAR 0.02  /* of a body's radius: planes taken before such a motion are taken anew */
#define CN_RAISED 0.02    /* of a body's radius: raised by more than this it looks for a way down again */
#define CN_PASS_DEEP 0.25 /* of the thinner part: an overlap that makes a pass a failure */
#define CN_POSITION_SWEEPS 60
#define CN_POSITION_TOLERANCE 1e-6 /* of the thinnest part: a thousandth of the kept gap */
#define CN_UNEVEN 50.0      /* largest mass over the least, as the program weighs them, at which few bodies ... */
#define CN_UNEVEN_BODIES 12 /* ... are solved exactly: within a millisecond or so */
#define CN_RESTORE_ROUNDS 6 /* of mending gaps that are short */
#define CN_LEG_LEAST                                                                                                   \
	0.02 /* radii, of all bodies together: legs of a way take time by how far they lead, and no less than this ... */
#define CN_LEG_SHARE 0.01 /* ... nor less than this share of the frame */
#define CN_RESTORE_SWEEPS 100
#define CN_RESTORE_STEP 0.02 /* of the thinner part: the most that one round asks for; of a body's radius ... */
#define CN_RESTORE_FAST                                                                                                \
	0.5 /* ... and no more than this of its part, where a pair goes further than its thickness ... */
#define CN_RESTORE_THIN 2.0    /* ... and the radius is more than this x the part's */
#define CN_RESTORE_REACH 100.0 /* x that: points further away have no row; if they come near the next round has one */
#define CN_RESTORE_TRUST 0.08  /* of a body's radius: the most that one round moves it */
#define CN_PUSHED 1e-3         /* of the kept gap: a row that moves a body by less has not pushed it */
#define CN_HOP_GAP 4.0         /* x the kept gap: bodies this near pass a push on */
#define CN_STRAIGHT_COSINE                                                                                             \
	0.735                   /* of half the turn of a straight way: 1.49 rad, below the quarter that a piece may have */
#define CN_TIGHT 1e-3       /* of the kept gap: a body this near to another is left alone while it hardly moves */
#define CN_SCREW_LEAST 1e-5 /* rad: a screw this flat is a straight line to the last digits */
#define CN_SWEEP_BUDGET 200 /* separations to prove one piece of one pair */
#define CN_CUT_TURN 0.04    /* rad: pieces of a screw; between them a cube bulges by a fifth of its kept gap */
#define CN_CUTS_MOST 8      /* of a leg */
#define CN_AXIS_MORE 1.2    /* x the bulge: what an axis is asked for */
#define CN_AXIS_PUSH 1.0    /* x the kept gap, ... */
#define CN_AXIS_MOTION 0.1  /* ... and of the pair's motion: the most that one round pushes along an axis */
#define CN_AXIS_TOTAL 4.0   /* x that: in one leg */
#define CN_AXIS_LEAN 0.1    /* tangent: an edge or face that leans less against the axis is pushed at all its corners */
#define CN_AXIS_ROUNDS 10
#define CN_AXIS_FULL 3 /* rounds with the lesser demand first */
#define CN_HALVED_ROUNDS 4
#define CN_HALVINGS 3
#define CN_HALVE_HOPS 3

/* Steps inside a frame. */
#define CN_INNER_MOTION 0.1 /* of the thinner part: how far a pair may turn and near in one of them */
#define CN_INNER_STEPS 8  /* of a frame at most, unless the scene says how many: dominoes are within 2 % with so many */
#define CN_INNER_WORK 400 /* near pairs x steps of a frame at most: what 20 dominoes take, and a crowd takes one ... */
#define CN_INNER_AWAY 4   /* ... where so many bodies of the world count as one pair: also what is away costs time */
#define CN_INNER_ROUND                                                                                                 \
	1e-9 /* of a body's radius: so far its centre of mass may be off its axis; rounding of a shape's mass */
#define CN_INNER_LINE                                                                                                  \
	1e-14 /* of a body's radius and coordinates: a key this near to the way between its neighbours says nothing */
#define CN_DEBT_LEAST 1e-4 /* of a body's radius: what is led less far in a frame does not move to speak of */
#define CN_DEBT_SHARE 0.02 /* of its motion: a body that is further off than this has a debt that is counted */
#define CN_DEBT_NEAR 0.01  /* of the kept gap: what is owed less is not explained any further */
#define CN_DEBT_ROUNDS 32  /* of finding the moments of a body's blows */
#define CN_DEBT_ULPS 64    /* x DBL_EPSILON x the coordinates and the motion: less is the rounding of a frame's steps */
#define CN_DEBT_ROUNDING 1e-6 /* relative: of a mean over ten million bodies, and some */

/* Joints. */
#define CN_RIG_DAMPED 20 /* damping of more than e^20 in a frame is no longer told from the other forces */
#define CN_RIG_TURN                                                                                                    \
	0.05 /* rad: of a limb in one of its rig's steps; what six sticks then make of their energy in a frame is 1e-3 of it at most, but for whips */
#define CN_RIG_SWING 0.3 /* rad: of the fastest swing that the pull of joints makes; beyond 2 it would blow up */
#define CN_RIG_STEPS                                                                                                   \
	32 /* of a rig in a frame at most, but for limbs that spin: a step turns no further than a key can show */
#define CN_RIG_ARM 1e-3  /* of the rig's size: a joint this near to a centre of mass makes nothing swing */
#define CN_RIG_OFF 1e-12 /* of the rig's size: so near is together */
#define CN_RIG_LOST                                                                                                    \
	1e-7 /* of the rig's size: further off than this a joint is not held, and the rig cannot be followed */
#define CN_RIG_ROUNDS                                                                                                  \
	40 /* of bringing joints together in a step: each leaves a twentieth, or half where limbs turn far */
#define CN_RIG_CLOSE 12 /* the same where each takes the rows anew: each squares what is off */
#define CN_RIG_STOPS 2  /* solves for velocities: the second for what rounding left in the first */
#define CN_RIG_SOFT                                                                                                    \
	1e-7 /* of the diagonal of S where joints close loops, which repeat rows; its square is well above rounding */
#define CN_RIG_PIVOT 1e-14 /* of the largest of the diagonal: a smaller pivot is rounding */
#define CN_RIG_ULPS 16     /* x DBL_EPSILON x distance: rounding of a joint's points */
#define CN_RIG_MEND                                                                                                    \
	5e-3 /* of the kinetic energy: what steps have made of it is mended up to this; beyond it steps are made finer */
#define CN_RIG_TRIES 3     /* of following a rig through a frame, each in four times the steps of the one before */
#define CN_RIG_PARTS 5     /* times that a rig at fault goes a quarter as far on its way: down to a thousandth of it */
#define CN_RIG_OVERLOADS 3 /* times that motors which are too weak are told apart from those that are not */

/* Triangles of fixed meshes (geom/triangle_part.c, step/ground.c). */
#define CN_TRIANGLE_PART_THIN                                                                                          \
	1e-6 /* of its length: a triangle thinner than this is made ten times that; far below a gap, and it has a plane */
#define CN_INNER_TURNED 1e-7 /* rad: a plane this near to a triangle's own lies on it */
#define CN_INNER_NEARER                                                                                                \
	1e-9 /* relative: a triangle nearer by less is as near; over a flat mesh planes then lean by 5e-5 at most */

/* Bodies of very unequal masses and sizes. */
#define CN_CRUMB 100.0 /* of masses: what is squeezed by more counts as this share of it; sweeps need the root of it */
#define CN_CRUMB_OPPOSITE 0.5 /* cosine: what stands opposite to within 60 degrees holds a crumb there */
#define CN_CRUMB_LAYERS 4     /* of crumbs under crumbs */
#define CN_SLENDER                                                                                                     \
	100.0           /* of moments: a bar seven times as long as thick; it spins far more easily than it turns over */
#define CN_VAST 4.0 /* of radii: the corners of a body this much larger than another are nowhere near it */

/* Scripted bodies that push. */
#define CN_SQUEEZE_MOST                                                                                                \
	1e3 /* x an island's mass x its speeds: impulses beyond are of something squeezed, and would grow without end */
#define CN_CATCH_UP 2.0    /* x its own speed: the most at which a script makes up for time it lost */
#define CN_SQUEEZED 0.25   /* of the gap asked for: with less left after mending a script yields ... */
#define CN_NEARER 0.98     /* of the gap a leg began with: ... if it is nearer than this, too */
#define CN_YIELD_TRIES 4   /* of a leg: with all of the step, a half, a quarter, an eighth; then without the script */
#define CN_YIELD_ROUNDS 10 /* of mending where scripts move, each ... */
#define CN_YIELD_HOPS 2    /* ... with bodies so many contacts further away: what they push makes room by and by */
#define CN_THROWN 1.0      /* x the furthest way of scripts and what they reach: what is led further was thrown */
#define CN_YIELD_LEGS 3    /* of a script that did not lead where they were to: then it waits for the next frame */
#define CN_YIELD_LEAST 0.03125 /* of a script's step in a frame: smaller ones are not tried */

/* Solvers. */
#define CN_SMALL_SWEEPS                                                                                                \
	200 /* of a small island before the exact method is asked: it then takes less time than going on */
#define CN_SMALL_BRISK 1e-8      /* of the largest speed at a contact: its residual in real time ... */
#define CN_SMALL_BRISK_SWEEPS 60 /* ... in so many sweeps: stacks need ten; where there are few contacts in more, ... */
#define CN_SMALL_BRISK_WORK                                                                                            \
	12000 /* contacts x sweeps: ... up to this, half a millisecond, as a wedge of sixteen cubes needs, ... */
#define CN_SMALL_BRISK_BODIES 6 /* ... and the exact method is asked for islands up to this: about a millisecond, ... */
#define CN_SMALL_BRISK_ASKS 1   /* ... so many in a program: in a crowd milliseconds add up */
#define CN_SMALL_CROWD 500      /* bodies: in a crowd of more there is no time for that, ... */
#define CN_SMALL_CROWD_MOST 8   /* ... and islands of more than these are solved with the large ones */
#define CN_SMALL_SPREAD 100     /* contacts and rows: fewer take less time than waking threads does */
#define CN_SMALL_LOSS 1e-6      /* of |x|^2: an island that loses this much kinetic energy plainly loses some */
#define CN_SMALL_DIRECT_TRIES 4 /* tried one after the other before going back */
#define CN_SMALL_DIRECT_SOFT 1e-8  /* of a row's response: half of the digits for the softness, half for the rounding */
#define CN_SMALL_DIRECT_ROOM 32768 /* doubles of the matrix: a quarter of a megabyte, forty bodies that all touch */
#define CN_SMALL_DIRECT_WORK 1000  /* multiplications of a row: a direct solve may cost as much as a hundred sweeps */
#define CN_SMALL_DIRECT_ROUNDS 30  /* with one factor; an arch takes as many */
#define CN_SMALL_DIRECT_GAIN 0.97  /* a round that leaves more than this share of what was missing is the last */
#define CN_SMALL_DIRECT_ENOUGH 0.1 /* of the tolerance: less need not be missing */
#define CN_SMALL_DIRECT_WORTH 0.5  /* of the residual: a direct solve that leaves more makes the next one wait longer */
#define CN_SMALL_POLISH 50         /* after it: it is within 1e-10 already */
#define CN_SMALL_EXACT 1e-13       /* accuracy the exact method is asked for then: as good as it insists on */
#define CN_SMALL_RESIDUAL 1e-12    /* of the largest speed at a contact */
#define CN_QP_UNIT 1e-9            /* a stored normal's squared length may be off 1 by this */
#define CN_QP_ROUNDING 1e-12       /* of the products: a stored inertia's minors may be below 0 by this */
#define CN_SPARSE_ACCURACY 1e-10   /* of the scaled program's residuals and gap: six digits more than a picture shows */
#define CN_SPARSE_FLOOR                                                                                                \
	1e-4                  /* of the scaled objective: values below it are measured against it, not against themselves */
#define CN_TEXT_SIDE 1e-7 /* of the accelerations: this far above its tip one lies on the side of its cone */
#define CN_SPARSE_PROX 1e-6 /* delta of the proximal steps: far above rounding, and few steps are needed */
#define CN_KKT_SHIFT                                                                                                   \
	1e-7 /* on the diagonal of the scaled KKT matrix: its square is above rounding, so no pivot drowns */
#define CN_KKT_PIVOT 1e-8    /* a pivot below this is rounding: the shift alone gives more */
#define CN_PIVOT_LEAST 1e-11 /* of a column: a smaller pivot is rounding */
#define CN_PIVOT_TIE 1e-12   /* relative: two ratios this close are equal, and the next column decides */
#define CN_PIVOT_REST 1e-9   /* of the first approach: what redundant rows may disagree by */
#define CN_PIVOT_COST 1e-10  /* of scaled costs: a reduced cost above minus this brings nothing */
#define CN_SLIDE_ROUNDS 100  /* of finding how a struck point slides: from 2^40 x its response to the last digit */

/* Broad phase. They change what is remembered between frames and so the time it takes, never the pairs. */
#define CN_FLAT_MOST 1e30 /* m: floats beyond are cut off; sums of a few still are floats */
#define CN_FAT_SIZE 0.02f /* of a body's size: added all round; what shakes in place stays inside */
#define CN_FAT_SHAKE 4.0f /* frames of the last motion, added on both sides: for motion that turns */
#define CN_FAT_AHEAD 8.0f /* frames of the last motion, added ahead */
#define CN_FAT_MOST 0.25f /* of a body's size: most of each of the two */
#define CN_PACK_GROWN 16  /* a pack counts at most this many times its first extent */
#define CN_PACK_LOOSE 1.5 /* mean growth at which building anew is cheaper than searching */

/* Cylinders. */
#define CN_CYLINDER_PARALLEL                                                                                           \
	1e-13 /* sine: an edge this close to the axis has no direction across both; the axis' own serves */
#define CN_CYLINDER_COAXIAL                                                                                            \
	1e-9                       /* of the radius: this near to the axis no direction across it is better than another */
#define CN_CYLINDER_CONE 1e-14 /* rad: rounding of a normal that is to lie between two faces' */
#define CN_CYLINDER_FAVOUR                                                                                             \
	1e-12                      /* of the smaller size: planes this little narrower count as equal, the last one wins */
#define CN_CYLINDER_CLOSE 1e-8 /* of the smaller size: rim against rim is searched until no more than this can be won */
#define CN_CYLINDER_SPAN 1e-8  /* rad: of the search rim against rim; a chord this short is exact to the last digit */
#define CN_CYLINDER_VISITS 20000 /* rectangles of it; a few hundred are usual */
#define CN_CYLINDER_FLAT 1e-8    /* rad: an end, a side or a face this close to the plane lies on it with all of it */

/* Exact solvers: everything relative to the program's own scale (qp_exact_rows.h). */
#define CN_EXACT_ROUNDING (64 * 2.220446049250313e-16) /* of the terms of a row: what it may lack by rounding alone */
#define CN_EXACT_START 1.0  /* first slacks and multipliers, where 1 is the most that is asked for; measured on piles */
#define CN_EXACT_SOFT 1e-13 /* least s/y of an inequality row: bounds the matrix by 1e13, three digits from rounding */
#define CN_EXACT_SOFT_EQUAL 1e-8 /* the same for equality rows: refined away, and far from rounding */
#define CN_EXACT_FLOOR 1e-250    /* least slack and multiplier: products with it do not vanish */
#define CN_EXACT_NEAR 1e-6       /* largest residual the interior point method hands on */
#define CN_EXACT_FAR 1e5      /* a point proved to be farther away is taken to be nowhere, which is then to be proved */
#define CN_EXACT_FIRST 1e-12  /* mean complementarity at which the active rows are usually plain, ... */
#define CN_EXACT_FURTHER 1e-2 /* ... by how much it falls between two tries ... */
#define CN_EXACT_TRIES 4      /* ... and how many there are: rounding stops it at 1e-18 */
#define CN_EXACT_PROX 1e-6    /* first delta of the proximal steps */
#define CN_EXACT_VAST 1e3 /* of x: multipliers beyond it push against each other; every digit here is one lost there */
#define CN_EXACT_SPARE 1e-3 /* of the accuracy asked for: steps that cost no factorisation go on until here */
#define CN_EXACT_LEVEL 1e-3 /* of the first slope along a step: level enough to end the search along it */
#define CN_EXACT_QUICK 1e-9 /* a Newton step that takes this much of the first gradient away ends its proximal step */
#define CN_EXACT_PROX_LEAST 1e-9
#define CN_EXACT_NEWTON 60    /* Newton steps of one proximal step */
#define CN_EXACT_PROXIMAL 60  /* proximal steps */
#define CN_EXACT_ROUNDS 20    /* factorisations of the proximal method after the interior point method */
#define CN_EXACT_BEST 1e-13   /* no better residual is insisted on */
#define CN_EXACT_FINE 1e-15   /* rounding: no better residual is sought */
#define CN_EXACT_SPREAD 1e-12 /* delta where what A' maps to 0 is sought: nearly dependent rows count as independent */
#define CN_EXACT_REACH 1e8    /* a certificate excludes all points nearer than this */
#define CN_EXACT_CONTRADICTION 1e-10 /* rows that contradict each other by less count as satisfied to accuracy */
#define CN_EXACT_LITTLE 1e-6    /* of multipliers that run away: if A' maps no more of them to 0, that is rounding */
#define CN_EXACT_DEPENDENT 1e-9 /* part of a unit row that is new: below this it depends on the others */
#define CN_EXACT_AGAIN 30       /* refinements of the dense method's answer; the best one is kept */
#define CN_EXACT_DENSE 100      /* bodies of an island at most for the dense method: 6 MB, below a second */
#define CN_EXACT_ACCURACY 1e-10
#define CN_EXACT_ITERATIONS 100
#define CN_EXACT_PROX_FIRST 1e-3 /* delta with friction: steps that are easily solved, at first */
#define CN_EXACT_KRYLOV 80       /* vectors of GMRES */
#define CN_EXACT_FORCING 1e-6    /* of the right side: what GMRES leaves over */
#define CN_EXACT_ENOUGH 1e-4     /* of the first gradient: a step on Coulomb's law may end here if it gets no further */
#define CN_EXACT_IDLE 150        /* steps without gain after which a course is given up */
#define CN_EXACT_IDLE_LAST 30    /* the same once the accuracy is reached and only more is hoped for */
#define CN_EXACT_COULOMB 600     /* proximal steps of exact Coulomb, and ... */
#define CN_EXACT_COULOMB_MOST 2500 /* ... factorisations, of one course */

/* The real-time solver: float, in the program's own scales (qp_fast_parts.h): speeds and light bodies are about 1. */
#define CN_FAST_FLUSH 1e-18f /* multipliers below this are 0: their squares are still normal numbers */
#define CN_FAST_MOST 1e15    /* and none above this: squares stay in range */
#define CN_FAST_LEAST 1e-30f /* inverse effective mass of a row that nothing can move */
#define CN_FAST_PIVOT 1e-12  /* relative: a pivot of an inverse inertia below this is a direction that cannot turn */
#define CN_FAST_MU 1e6       /* friction above this is taken for this */
#define CN_FAST_NO_TURN                                                                                                \
	1e-20                   /* of an arm's square: across the normal it has no more than rounding, and turns nothing */
#define CN_FAST_SPAN 1e11   /* x the speed asked for: a bound beyond is none; x CN_FAST_FLUSH: a float's digits */
#define CN_FAST_DIGITS 1e-6 /* of the largest speed: what sweeps in float can be asked for where nothing was */
#define CN_FAST_MET 10.0  /* x the tolerance x the root of the rows: a larger violation is not solved; at most 2 seen */
#define CN_FAST_FAR 1e4   /* x the squares that are enough: a large program that changes so much goes on for a while */
#define CN_FAST_WORK 1.01 /* energy is looked at exactly unless the impulses take this x what they put in */
#define CN_FAST_CONE 2.4e-7 /* relative: the disc is drawn in by two units of float, so that in double y is inside */

/* The independent check (overlap.h). */
#define CN_CHECK_ULPS                                                                                                  \
	32 /* x DBL_EPSILON x (distance + radius): the rounding bound of a pose, twice the worst derived */
#define CN_CHECK_MOTION_ULPS 64 /* the same on the way: the pose itself is computed there */
#define CN_CHECK_NEAR 1e-6 /* of the scale: nearer than this, directions come from faces, no longer from differences */
#define CN_CHECK_THIN 1e-3 /* of its length: a first triangle thinner than this is tried again on another side */
#define CN_CHECK_TIGHT 1e-10 /* of the smaller reach: a gap whose sign is known needs no closer bracket */
#define CN_CHECK_WIDEN 4096  /* x the bound: the most that needles and knives may widen it */
#define CN_CHECK_TURN 0.1    /* a winding number this near to an integer is that integer; on the surface it is not */

#define CN_CHECK_TURNING 0.9 /* cosine: an axis that turns further in one piece proves little */
#define CN_CHECK_KEY_ULPS 64 /* x DBL_EPSILON: how exactly a turn leads from key to key; log and exp lose a quarter */
#define CN_CHECK_NEARBY 0.01 /* of a body's radius: boxes are grown by it, so that a least gap below it is not missed */
#define CN_CHECK_BUDGET                                                                                                \
	400000 /* sub-intervals of a pair's piece of motion; a hundred are many, edges that turn a nanometre apart need more */
#define CN_CHECK_MESH_BUDGET 2000000 /* the same over all pairs of triangles of two meshes */

/* Swept triangles. */
#define CN_TOUCH_STEPS 200 /* of one pair of features: ten are usual, a hundred let it slide by at 1e-4 of its size */
#define CN_TOUCH_ULPS 16   /* x DBL_EPSILON x the largest coordinate: rounding of differences and of their products */
#define CN_MESH_PIECE 1000 /* pairs of triangles: a piece of the motion that has more of them is cut */

#endif
