"""An environment as Gymnasium has them: balance a ball on a board that tilts. It works without Gymnasium.

reset(seed) -> observation, info; step(action) -> observation, reward, terminated, truncated, info. States are snapshots, so
an episode with the same seed and actions has the same bits.
"""
from typing import Any, Dict, Optional, Tuple

import numpy as np

import cairn

try:
    from gymnasium import Env, spaces
except ImportError:  # the same methods without their classes
    Env, spaces = object, None


class Balance(Env):  # type: ignore[misc,valid-type]
    """The action is the torque on the board, from -1 to 1; the observation: tilt, its rate, the ball's place and speed."""

    def __init__(self, frames: int = 300) -> None:
        scene = cairn.Scene(gravity=(0, 0, -10), fps=60)
        wood = scene.material(friction=0.6)
        self.board = scene.add_body(scene.box(2, 0.6, 0.05), mass=2, material=wood)
        self.hinge = scene.add_joint("hinge", None, self.board, point=(0, 0, 0), axis=(0, -1, 0), limits=(-0.5, 0.5))
        self.ball = scene.add_body(scene.sphere(0.1), position=(0, 0, 0.1255), mass=0.2, material=wood)
        self.world = scene.world()
        self.start = self.world.snapshot()
        self.frames = frames
        if spaces is not None:
            self.action_space = spaces.Box(-1, 1, (1,), np.float32)
            self.observation_space = spaces.Box(-np.inf, np.inf, (4,), np.float64)

    def _observe(self) -> np.ndarray:
        joint = self.world.joint(self.hinge)
        return np.array([joint["position"], joint["speed"], self.world.pose(self.ball)[0], self.world.velocity(self.ball)[0]])

    def reset(self, *, seed: Optional[int] = None, options: Optional[Dict[str, Any]] = None) -> Tuple[np.ndarray, Dict[str, Any]]:
        self.world.restore(self.start)
        speed = np.random.default_rng(seed).uniform(-0.2, 0.2)
        self.world.set_velocity(self.ball, (speed, 0, 0), (0, speed / 0.1, 0))
        return self._observe(), {}

    def step(self, action: Any) -> Tuple[np.ndarray, float, bool, bool, Dict[str, Any]]:
        torque = 5 * float(np.clip(np.asarray(action).ravel()[0], -1, 1))
        self.world.push(self.board, (0, 0, 0), (0, -torque, 0))
        self.world.step()
        observation = self._observe()
        fallen = bool(self.world.pose(self.ball)[2] < -1)
        return observation, 1 - abs(observation[2]), fallen, self.world.frame >= self.frames, {}


def episode(policy: Any, seed: int) -> Tuple[float, int]:
    env = Balance()
    observation, _ = env.reset(seed=seed)
    total, done = 0.0, False
    while not done:
        observation, reward, fallen, late, _ = env.step(policy(observation))
        total, done = total + reward, fallen or late
    return total, env.world.hash


def controller(o: np.ndarray) -> float:
    wanted = 0.25 * o[2] + 0.35 * o[3]  # lift the side to which the ball runs
    return float(6 * (wanted - o[0]) - 1.5 * o[1])


if __name__ == "__main__":
    idle, _ = episode(lambda o: 0.0, 3)
    good, first = episode(controller, 3)
    _, second = episode(controller, 3)
    print(f"reward without control {idle:.0f}, with it {good:.0f}; again: {'the same bits' if first == second else 'other bits'}")
    assert good > idle and first == second
