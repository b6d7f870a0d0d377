/* The table of commands: what each is called, takes, does and prints. Help and the man page are made from it. */
#include "options.h"

static const text_pair run_examples[] = {
	{"cairn run tumble", "simulate a bundled scene into tumble.cairn"},
	{"cairn run my/scene.json -o a.cairn", "simulate your own scene file"},
	{"cairn run tumble --frames 60 --set gravity=0,0,-1.6", "a short run on the moon"},
	{"cairn run tumble.cairn --resume", "go on with an interrupted run"},
	{"cairn run tumble.cairn", "run it again, inputs included, and compare the bits"},
	{NULL, NULL},
};

static const text_pair run_fields[] = {
	{"scene", "name of the scene"},
	{"file", "the recording that was written"},
	{"method", "what it was simulated with"},
	{"threads", "how many it ran on"},
	{"status",
     "done, interrupted, terminated, failed (the simulation), unwritten (the recording), different (the bits, "
     "from a recording run again) or late (a script, with --strict-scripts); refused if it could not begin: then only "
     "code and message stand beside it"},
	{"code", "exit status of a run that could not begin"},
	{"message", "what went wrong; null if nothing"},
	{"stop",
     "why the last step was refused: touch, spin, not finite, memory, overlap or uncertified; null if none was"},
	{"stop_pair", "names of the bodies at which; null if there are none"},
	{"frames", "number of the last frame recorded (frame 0 is the start)"},
	{"frames_run", "steps taken now; means, sums and shares below are over these"},
	{"complete", "whether the recording reached the frames asked for"},
	{"fps", "frames a second"},
	{"bodies", "bodies that were ever there"},
	{"moving, asleep", "dynamic and scripted bodies at the end, sleepers included, and how many of them sleep"},
	{"frozen, frozen_mean", "sleepers at the end that are frozen by themselves; frozen bodies a frame (option freeze)"},
	{"emitted", "bodies that appeared during the run"},
	{"close_pairs_mean, close_pairs_max", "pairs with rows in the position program, a frame"},
	{"collisions, collisions_mean",
     "contact points that approached faster than the restitution threshold, in all; a frame"},
	{"contacts_mean, contacts_max", "contact points solved, a frame; those among sleeping bodies are left out"},
	{"extra_keys", "keys inside frames, in all"},
	{"programs_mean, passes_mean", "programs solved a frame, and how many of them were passes of the position program"},
	{"text_fallbacks",
     "islands that the text's own programs could not solve and left to the default, in all (momentum, forces)"},
	{"taken_back, taken_back_share", "passes taken back, in all; as a part of all passes, 0 to 1"},
	{"worst_gap", "the smallest gap between two bodies at the end of a frame, m; null if nothing came near anything"},
	{"worst_gap_frame, worst_gap_pair", "where that was: the frame and the names of the two bodies"},
	{"joints, broken", "joints of the scene; those that broke"},
	{"joint_error, joint_error_frame",
     "the most that a joint was off at the end of a frame, m; where; null without joints"},
	{"late",
     "scripts that had to wait, each with script (its name), first_frame, last_frame, frames (how many), lag (s, the "
     "most) and lag_frame"},
	{"tiers",
     "what each tier did, in all: fast, cut, halve and hold in bodies, restore and axis in rounds (docs/summary.md)"},
	{"tier_frames", "in how many frames each tier was needed"},
	{"held, held_share", "bodies put back by the last tier, summed over the frames; as a part of all movable bodies"},
	{"held_frames, held_frames_share", "frames with held bodies; as a part of all frames"},
	{"steps_mean, steps_max", "steps that frames took inside, where contacts change (option steps): the mean and the "
                              "most; null without contact"},
	{"debt, debt_frame, debt_body", "the furthest that a body was from where its velocities and the impulses of a "
                                    "frame lead it, beyond the gap that is "
                                    "kept, m; where and whose; null without contact (docs/oba.md)"},
	{"debt_mean, debtors_share", "m: the mean over all moving bodies of all frames; the part of these that owe more "
                                 "than 2 % of their motion, 0 to 1"},
	{"certificate",
     "mode (full, keys or off), verdict (clean, overlap, passage or unchecked), frames that were checked, pairs looked "
     "at "
     "closely, intervals proved, overlaps, passages, min_gap and rounding_bound in m, ms a frame, and its share of the "
     "time of the steps"},
	{"energy_start, energy_end", "kinetic and potential energy, J"},
	{"energy",
     "the ledger, J: kinetic and potential at the end; in all, put in by events, by fields and by position (keeping "
     "bodies apart), made by drift (turning), brought by joints (motors, and following them on curves), lost by "
     "damping, in "
     "impacts, by friction and dropped (at rest or held)"},
	{"energy_unit", "J: the moving mass x gravity x the largest body size; without gravity the initial kinetic energy"},
	{"energy_rise, energy_rise_frame", "the most that the energy rose from one frame to the next without a cause (an "
                                       "event, a script, a field, a motor), in units; "
                                       "where"},
	{"energy_climb", "the same over any stretch of frames, in units"},
	{"energy_residue, energy_residue_frame", "the most that the ledger of a frame does not explain, in units; where"},
	{"lift, lift_frame, lift_body", "the most that keeping bodies apart raised height + v^2/2g of a single one, as a "
                                    "part of its size; where and whose"},
	{"ms_mean, ms_p95, ms_max", "milliseconds a step"},
	{"ms_write", "milliseconds a frame for the recording, mean"},
	{"stages", "milliseconds a step by stage, mean"},
	{"wall_s", "seconds in all"},
	{"hash", "chained over all frames of the recording: 16 hexadecimal digits, the same on every machine"},
	{"size_bytes", "of the recording"},
	{"same_as", "the recording that was run again with the same bits; null if none was compared"},
	{"compared_frames", "how many frames were compared with that recording; null if none"},
	{"first_difference", "the first frame with other bits than that recording; null if there is none"},
	{NULL, NULL},
};

static const text_pair check_examples[] = {
	{"cairn check scene.json", "is this a scene, and can its method do it?"},
	{"cairn check scene.json --method free", "could another method do it?"},
	{NULL, NULL},
};

static const text_pair check_fields[] = {
	{"valid", "true or false"},
	{"scene", "name of the scene"},
	{"method", "of the scene, or the one asked for"},
	{"bodies, shapes, materials, joints, emitters, events, fields", "how many the scene has"},
	{"frames, fps", "its settings"},
	{"code", "exit status of the error; null if valid"},
	{"file, line, column, path", "where the error is; null where that does not apply"},
	{"message", "what was found and what would be right; null if valid"},
	{"warning", "what is valid and may yet stop the run; null if there is nothing"},
	{NULL, NULL},
};

static const text_pair info_examples[] = {
	{"cairn info tumble.cairn", "what is in a recording, and is it whole?"},
	{"cairn info scene.json", "what is in a scene"},
	{"cairn info tumble.cairn --json", "the same for scripts"},
	{NULL, NULL},
};

static const text_pair info_fields[] = {
	{"kind", "recording or scene; those marked (R) are only for recordings, those marked (S) only for scenes"},
	{"scene", "name of the scene"},
	{"description", "its one line"},
	{"file", "what was looked at"},
	{"frames", "number of the last whole frame; of a scene: how many it asks for"},
	{"fps", "frames a second"},
	{"bodies", "bodies that were ever there; of a scene: at the start"},
	{"hash", "(R) chained over all frames: 16 hexadecimal digits"},
	{"complete", "(R) whether the run reached the frames it was asked for"},
	{"size_bytes", "(R) of the file"},
	{"first_frame, last_frame", "(R) the frames there are"},
	{"frames_asked", "(R) how many its scene asks for"},
	{"seconds", "(R) of motion that are recorded"},
	{"version", "(R) of the library that wrote it"},
	{"truncated, damaged, note", "(R) what is wrong with the file; note is null if nothing"},
	{"inputs", "(R) frames that were given inputs during the run"},
	{"exempt", "(R) pairs that a joint holds together"},
	{"method, gravity, seed", "settings"},
	{"options", "of the method, with the values in force"},
	{"shapes, materials, joints, emitters, events, fields, cold_volumes", "how many the scene has"},
	{"dynamic, fixed, scripted", "(S) bodies at the start by type"},
	{"bounds", "(S) a box around all bodies but half-spaces at the start: min and max; null if there are none"},
	{"shape_facts",
     "(S) of every shape: name, kind, volume (a shell: area), center of mass, principal moments at density 1, "
     "and corners, edges and faces of a box or a hull"},
	{NULL, NULL},
};

static const text_pair export_examples[] = {
	{"cairn export tumble.cairn -o tumble.glb", "for Blender, three.js and other viewers"},
	{"cairn export tumble.cairn -o tumble.usda", "for USD tools"},
	{"cairn export tumble.cairn -o tumble.csv --from 10 --to 20", "eleven frames as numbers"},
	{NULL, NULL},
};

static const text_pair render_examples[] = {
	{"cairn render wall.cairn -o wall.png", "a picture of the last frame"},
	{"cairn render wall.cairn -o wall.mp4", "a film of all frames, where there is ffmpeg"},
	{"cairn render wall.cairn -o frames/%04d.png --from 300 --to 420", "a picture of each of these frames"},
	{"cairn render wall.cairn -o slow.mp4 --from 300 --to 360 --slow 4", "four pictures a frame"},
	{"cairn render stack.cairn -o c.png --frame 90 --contacts --camera 6,-9,4:0,0,2", "what holds what, from near by"},
	{NULL, NULL},
};

static const text_pair view_examples[] = {
	{"cairn view tumble.cairn", "a recording as a page, tumble.html, for any browser"},
	{"cairn view tumble.cairn --contacts", "with contact points and separating planes to look at"},
	{"cairn view cubejam --frames 300", "simulate a scene and show it"},
	{"cairn view my/scene.json --live", "a page that runs the scene itself, to take part in it"},
	{"cairn view long.cairn --from 900 --to 1200 -o end.html", "a part of a long one"},
	{NULL, NULL},
};

static const text_pair report_examples[] = {
	{"cairn report cubejam.cairn", "everything about a run, in cubejam-report.html"},
	{"cairn report a.cairn b.cairn -o compare.html", "two runs side by side, a colour each"},
	{"cairn report long.cairn --quick", "only what was recorded: no check, no pictures"},
	{NULL, NULL},
};

static const text_pair certify_examples[] = {
	{"cairn certify cubejam.cairn", "does anything overlap, did anything pass through anything?"},
	{"cairn certify cubejam.cairn --from 100 --to 200", "only these frames, and the motion between them"},
	{"cairn certify cubejam.cairn --json", "the same for scripts"},
	{NULL, NULL},
};

static const text_pair certify_fields[] = {
	{"verdict", "clean, overlap (at a key two bodies overlap) or passage (between keys they cross, or it could not be "
                "proved that they do not)"},
	{"frames, bodies", "how many were looked at"},
	{"pairs", "pairs of bodies that were looked at closely, summed over the frames"},
	{"intervals", "pieces of motion of such pairs that were proved"},
	{"exempt", "pairs of bodies that the promise does not cover: fixed and scripted ones among themselves, filters, "
               "joints"},
	{"min_gap", "the smallest gap at a key, a proved lower bound, m; null if nothing came near anything"},
	{"min_gap_frame, min_gap_pair", "where that was: the frame and the names of the two bodies"},
	{"overlaps, passages", "how many keys of pairs, how many pieces of motion are wrong"},
	{"rounding_bound", "m: gaps within it count as touching"},
	{"first", "the first that is wrong: frame, time in s, pair, depth in m (0 if not known); null if there is none"},
	{"complete", "whether the run that was recorded reached the frames it was asked for"},
	{"damaged", "whether bytes of the file are wrong: then only what comes before them was checked"},
	{NULL, NULL},
};

static const text_pair scenes_examples[] = {
	{"cairn scenes", "list the bundled scenes"},
	{"cairn scenes tumble > my.json", "take one as a start for your own"},
	{NULL, NULL},
};

static const text_pair new_examples[] = {
	{"cairn new", "write a starter scene to scene.json"},
	{"cairn new tower.json", "the same under another name"},
	{NULL, NULL},
};

static const text_pair help_examples[] = {
	{"cairn help run", "all about one command"},
	{"cairn help --man | man -l -", "the manual page"},
	{NULL, NULL},
};

static const text_pair completion_examples[] = {
	{"cairn completion bash > ~/.local/share/bash-completion/completions/cairn", "for bash"},
	{"cairn completion zsh > ~/.zfunc/_cairn", "for zsh, with ~/.zfunc in fpath"},
	{"cairn completion fish > ~/.config/fish/completions/cairn.fish", "for fish"},
	{NULL, NULL},
};

static const command_spec commands[] = {
	{COMMAND_RUN, "run", cmd_run, "SCENE|REC", WORDS_SOURCE, 1, 1, "simulate a scene into a recording",
     "Simulates SCENE and writes a recording (.cairn), which stays readable at every moment: a run that is interrupted "
     "or "
     "killed leaves a file that is whole up to its last frame. A summary goes to stdout, progress to stderr.\n"
     "Given a recording instead, runs its scene again with its recorded inputs into a new file and says whether the "
     "bits "
     "are the same; with --set or --method it runs the changed scene and compares nothing. With --resume it goes on "
     "with "
     "that very file.",
     run_examples, run_fields},
	{COMMAND_CHECK, "check", cmd_check, "SCENE", WORDS_SCENE, 1, 1, "say whether a scene is valid and can be simulated",
     "Reads SCENE with its includes and meshes and sets up the world without moving it. Says OK and what the scene "
     "has, or where it is wrong and what would be right. It warns on stderr of bodies that the method keeps out of "
     "contact (with a mesh that may move): a run stops where another body touches one.",
     check_examples, check_fields},
	{COMMAND_INFO, "info", cmd_info, "REC|SCENE", WORDS_SOURCE, 1, 1, "say what is in a recording or a scene",
     "Prints what a recording or a scene holds. A recording that ends in the middle of a frame is read up to its last "
     "whole frame, with a note on stderr; one with a damaged byte as well, with exit status 4.",
     info_examples, info_fields},
	{COMMAND_EXPORT, "export", cmd_export, "REC", WORDS_RECORDING, 1, 1, "write a recording for other programs",
     "Writes the frames of REC as glTF 2.0 (.glb), USD (.usda) or comma-separated values (.csv). The file is written "
     "beside "
     "its place and moved there when whole; an older one is replaced. The same recording gives the same bytes.",
     export_examples, NULL},
	{COMMAND_RENDER, "render", cmd_render, "REC", WORDS_RECORDING, 1, 1, "draw pictures or a film of a recording",
     "Draws frames of REC into a picture, pictures or a film, with or without a screen or a graphics card: it needs "
     "OpenGL 3.3 through EGL, which is looked for when it runs, and for a film ffmpeg. Without --camera the scene's "
     "own "
     "is taken, or else one that has all that moves in view; fixed bodies that stand in front become glass. Files are "
     "written beside their place and moved there when whole; older ones are replaced (docs/render.md).",
     render_examples, NULL},
	{COMMAND_VIEW, "view", cmd_view, "REC|SCENE", WORDS_SOURCE, 1, 1, "show a recording or a scene in the browser",
     "Writes one self-contained page (.html) that plays REC: turn it, step, scrub, pick bodies. A SCENE is simulated "
     "first; with --live it is not, and the page (NAME-live.html) runs it itself, with the engine in it. The path is "
     "printed, and the "
     "page opened where there is a desktop. Positions are rounded to a ten thousandth of the thinnest body or better; "
     "the page says by how much. Large recordings get a second file beside the page, and very large ones are refused "
     "with the frames that would fit (docs/view.md).",
     view_examples, NULL},
	{COMMAND_CERTIFY, "certify", cmd_certify, "REC", WORDS_RECORDING, 1, 1,
     "prove that nothing overlaps or passes through anything",
     "Checks a recording from its keys alone: every pair of bodies at every key, and their motion between keys, by "
     "code "
     "that shares nothing with the simulation. The exit status is 0 only if all of it is clean, 1 if something "
     "overlaps "
     "or passes (docs/certificate.md).",
     certify_examples, certify_fields},
	{COMMAND_REPORT, "report", cmd_report, "REC...", WORDS_RECORDING, 1, 8, "write a page of plots about recordings",
     "Writes one self-contained page (.html) about REC: the verdict of the certificate, checked anew; pictures over "
     "time; "
     "plots of the time per frame by stage, close pairs and contacts, the smallest gap, debt and steps, energies and "
     "the ledger, "
     "programs "
     "and tiers, sleeping bodies, and how the cost grows; the ten slowest frames. Up to eight recordings are compared: "
     "the same plots with a colour for each, and a table. The plots can be read without scripts; with them one can "
     "zoom in and read off values. Where there is no OpenGL the pictures are left out (docs/report.md).",
     report_examples, NULL},
	{COMMAND_SCENES, "scenes", cmd_scenes, "[NAME]", WORDS_BUNDLED, 0, 1, "list the bundled scenes, or print one",
     "Lists the scenes that come with the tool, a line each; with NAME prints that scene's file.", scenes_examples,
     NULL},
	{COMMAND_NEW, "new", cmd_new, "[FILE]", WORDS_FILE, 0, 1, "write a commented starter scene",
     "Writes a small scene with comments, to be changed, to FILE (default: scene.json).", new_examples, NULL},
	{COMMAND_HELP, "help", cmd_help, "[COMMAND]", WORDS_COMMAND, 0, 1, "print help, or the manual page",
     "Prints the help of COMMAND, or the list of commands.", help_examples, NULL},
	{COMMAND_COMPLETION, "completion", cmd_completion, "bash|zsh|fish", WORDS_SHELL, 1, 1,
     "print the completions for a shell", "Prints a script that lets the shell complete commands, options and scenes.",
     completion_examples, NULL},
};

const command_spec *command_at(size_t index)
{
	return index < sizeof commands / sizeof commands[0] ? &commands[index] : NULL;
}
