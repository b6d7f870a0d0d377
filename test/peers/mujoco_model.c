/* What MuJoCo makes of a model: for each body its mass, the centre and the inertia in its frame, and where it stands at
 * the start, a line of numbers each. For the test of imported models. */
#include <mujoco/mujoco.h>

#include <stdio.h>

int main(int argc, char **argv)
{
	char error[1000] = "";
	mjModel *m = argc == 2 ? mj_loadXML(argv[1], NULL, error, sizeof error) : NULL;
	if (!m) {
		fprintf(stderr, "%s\n", error);
		return 1;
	}
	mjData *d = mj_makeData(m);
	mj_forward(m, d);
	for (int i = 1; i < m->nbody; ++i) {
		const char *name = mj_id2name(m, mjOBJ_BODY, i);
		mjtNum R[9], I[9] = {0};
		mju_quat2Mat(R, m->body_iquat + 4 * i);
		for (int p = 0; p < 3; ++p)
			for (int q = 0; q < 3; ++q)
				for (int k = 0; k < 3; ++k)
					I[3 * p + q] += R[3 * p + k] * m->body_inertia[3 * i + k] * R[3 * q + k];
		printf("%s\t%.17g", name ? name : "", m->body_mass[i]);
		for (int k = 0; k < 3; ++k)
			printf("\t%.17g", m->body_ipos[3 * i + k]);
		for (int k = 0; k < 9; ++k)
			printf("\t%.17g", I[k]);
		for (int k = 0; k < 3; ++k)
			printf("\t%.17g", d->xpos[3 * i + k]);
		for (int k = 0; k < 4; ++k)
			printf("\t%.17g", d->xquat[4 * i + k]);
		printf("\t%d\n", m->body_weldid[i]);
	}
	mj_deleteData(d);
	mj_deleteModel(m);
	return 0;
}
