/* For called-can-fail: a call that nobody makes. */
CAIRN_API void cairn_nobody_calls(void);
CAIRN_API cairn_world *cairn_world_create(void);
