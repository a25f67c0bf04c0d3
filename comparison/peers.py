"""Peers of Prall that are Python packages, behind one line of JSON each way."""

import json
import sys
import time
from importlib.metadata import version

import numpy as np

bodies = {}  # what each library was given, by library


def versions(_):
    return {name: version(name) for name in ["mujoco", "coal", "python-fcl", "ipctk", "numpy"]}


# --- MuJoCo -------------------------------------------------------------------------------------------------------


class MuJoCo:
    model = data = ids = None


def mujoco_open(question):
    import mujoco

    MuJoCo.model = model = mujoco.MjModel.from_xml_string(question["xml"])
    MuJoCo.data = data = mujoco.MjData(model)
    names = sorted(
        (model.body(i).name for i in range(model.nbody) if model.body(i).name.startswith("b")),
        key=lambda name: int(name[1:]),
    )
    MuJoCo.ids = [model.body(name).id for name in names]
    mujoco.mj_forward(model, data)
    if question["velocities"]:
        set_velocities(model, data, question["velocities"])
    for body, force in zip(MuJoCo.ids, question["forces"]):
        data.xfrc_applied[body, :3] = force
    mujoco.mj_forward(model, data)
    return {"freedoms": int(model.nv)}


def set_velocities(model, data, velocities):
    """Joint rates that move the bodies' origins and turn them as asked: read off for free bodies, by least squares for others."""
    import mujoco

    rows, wanted, columns = [], [], set(range(model.nv))
    hung = []
    for body, twist in zip(MuJoCo.ids, velocities):
        joints, first = model.body_jntnum[body], model.body_jntadr[body]
        if joints == 1 and model.jnt_type[first] == mujoco.mjtJoint.mjJNT_FREE:
            at = model.jnt_dofadr[first]
            columns -= set(range(at, at + 6))
            data.qvel[at : at + 3] = twist[:3]
            # A free joint turns in the body's own axes.
            data.qvel[at + 3 : at + 6] = data.xmat[body].reshape(3, 3).T @ np.array(twist[3:])
        elif joints > 0:
            hung.append((body, twist))
    if not hung:
        return
    columns = sorted(columns)
    for body, twist in hung:
        place, turn = np.zeros((3, model.nv)), np.zeros((3, model.nv))
        mujoco.mj_jacBody(model, data, place, turn, body)
        rows += [place[:, columns], turn[:, columns]]
        wanted += twist
    rates, *_ = np.linalg.lstsq(np.vstack(rows), np.array(wanted), rcond=None)
    data.qvel[columns] = rates


def mujoco_step(question):
    import mujoco

    start = time.perf_counter()
    mujoco.mj_step(MuJoCo.model, MuJoCo.data, nstep=question["count"])
    seconds = time.perf_counter() - start
    # Where numbers grow beyond all bounds it warns, and sets everything back to the start.
    bad = [mujoco.mjtWarning.mjWARN_BADQPOS, mujoco.mjtWarning.mjWARN_BADQVEL, mujoco.mjtWarning.mjWARN_BADQACC]
    if any(MuJoCo.data.warning[int(kind)].number for kind in bad):
        return {"error": "diverged and set itself back"}
    return {"seconds": seconds}


def mujoco_states(_):
    """Poses of the bodies' frames; angular velocities, and velocities of centres of mass."""
    import mujoco

    model, data = MuJoCo.model, MuJoCo.data
    # A step ends with new coordinates and with places of the step before.
    mujoco.mj_kinematics(model, data)
    mujoco.mj_comPos(model, data)
    mujoco.mj_comVel(model, data)
    twists = np.zeros((len(MuJoCo.ids), 6))
    for row, body in zip(twists, MuJoCo.ids):
        mujoco.mj_objectVelocity(model, data, mujoco.mjtObj.mjOBJ_BODY, body, row, 0)
    return {"states": np.hstack([data.xpos[MuJoCo.ids], data.xquat[MuJoCo.ids], twists]).tolist()}


# --- Mesh pairs: coal and FCL -------------------------------------------------------------------------------------


def mesh_open(question):
    """Two meshes as corners and triangles, for both libraries."""
    import coal
    import fcl

    pair = [(np.array(m["positions"]), np.array(m["triangles"], dtype=np.int64)) for m in question["meshes"]]
    models = []
    for positions, triangles in pair:
        model = coal.BVHModelOBBRSS()
        model.beginModel(len(triangles), len(positions))
        corners = coal.StdVec_Vec3s()
        for point in positions:
            corners.append(point)
        faces = coal.StdVec_Triangle()
        for a, b, c in triangles:
            faces.append(coal.Triangle(int(a), int(b), int(c)))
        model.addSubModel(corners, faces)
        model.endModel()
        models.append(model)
    bodies["coal"] = models
    models = []
    for positions, triangles in pair:
        model = fcl.BVHModel()
        model.beginModel(len(positions), len(triangles))
        model.addSubModel(positions, triangles)
        model.endModel()
        models.append(model)
    bodies["fcl"] = models
    return {}


def coal_place(row):
    import coal

    place = coal.Transform3s()
    place.setRotation(rotation(row))
    place.setTranslation(np.array(row[:3]))
    return place


def rotation(row):
    w, x, y, z = row[3:]
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def fcl_place(row):
    import fcl

    return fcl.Transform(np.array(row[3:]), np.array(row[:3]))


def mesh_query(question):
    """Asks one question about each pair of poses; answers and the time of each in us."""
    ask = {
        ("coal", "overlap"): coal_overlap,
        ("coal", "distance"): coal_distance,
        ("fcl", "overlap"): fcl_overlap,
        ("fcl", "distance"): fcl_distance,
        ("fcl", "impact"): fcl_impact,
    }[(question["library"], question["what"])]
    answers, times = [], []
    for a, b in question["places"]:
        answer, seconds = ask(a, b)
        answers.append(answer)
        times.append(seconds * 1e6)
    return {"answers": answers, "us": times}


def timed(call):
    start = time.perf_counter()
    result = call()
    return result, time.perf_counter() - start


def coal_overlap(a, b):
    import coal

    first, second = bodies["coal"]
    request, result = coal.CollisionRequest(), coal.CollisionResult()
    request.num_max_contacts = 1
    request.enable_contact = False
    at_a, at_b = coal_place(a), coal_place(b)
    found, seconds = timed(lambda: coal.collide(first, at_a, second, at_b, request, result))
    return bool(result.isCollision()), seconds


def coal_distance(a, b):
    import coal

    first, second = bodies["coal"]
    request, result = coal.DistanceRequest(), coal.DistanceResult()
    at_a, at_b = coal_place(a), coal_place(b)
    found, seconds = timed(lambda: coal.distance(first, at_a, second, at_b, request, result))
    return float(found), seconds


def fcl_objects(a, b):
    import fcl

    first, second = bodies["fcl"]
    return fcl.CollisionObject(first, fcl_place(a)), fcl.CollisionObject(second, fcl_place(b))


def fcl_overlap(a, b):
    import fcl

    one, two = fcl_objects(a, b)
    request, result = fcl.CollisionRequest(num_max_contacts=1, enable_contact=False), fcl.CollisionResult()
    _, seconds = timed(lambda: fcl.collide(one, two, request, result))
    return bool(result.is_collision), seconds


def fcl_distance(a, b):
    import fcl

    one, two = fcl_objects(a, b)
    request, result = fcl.DistanceRequest(), fcl.DistanceResult()
    found, seconds = timed(lambda: fcl.distance(one, two, request, result))
    return float(found), seconds


def fcl_impact(a, b):
    """Here `a` is the start and the end of the first body's motion."""
    import fcl

    first, second = bodies["fcl"]
    one = fcl.CollisionObject(first, fcl_place(a[:7]))
    two = fcl.CollisionObject(second, fcl_place(b))
    request, result = fcl.ContinuousCollisionRequest(), fcl.ContinuousCollisionResult()
    found, seconds = timed(
        lambda: fcl.continuousCollide(one, fcl_place(a[7:]), two, fcl_place(b), request, result)
    )
    return float(result.time_of_contact) if result.is_collide else 1.0, seconds


# --- Features over a step: ipctk ----------------------------------------------------------------------------------


def feature_impact(question):
    """Vertex-face and edge-edge pairs over a step, by tight inclusion; earliest time or none, and us each."""
    import ipctk

    detector = ipctk.TightInclusionCCD()
    answers, times = [], []
    for kind, start, end in question["pairs"]:
        points = [np.array(p) for p in start + end]
        call = detector.point_triangle_ccd if kind == "vertex-face" else detector.edge_edge_ccd
        (hit, toi), seconds = timed(lambda: call(*points))
        answers.append(float(toi) if hit else None)
        times.append(seconds * 1e6)
    return {"answers": answers, "us": times}


def main():
    for line in sys.stdin:
        try:
            question = json.loads(line)
            answer = globals()[question["do"]](question)
        except Exception as error:  # the other side tells the person
            answer = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), flush=True)


main()
