"""Writes counters.json, instants.json and objects.json: always the same bytes."""
import json
import random

def write(path, events):
    with open(path, "w", encoding="utf-8") as out:
        out.write("[\n" + ",\n".join(json.dumps(e, separators=(",", ":")) for e in events) + "\n]\n")

def meta(kind, pid, tid, **args):
    return {"ph": "M", "name": kind, "pid": pid, "tid": tid, "args": args}

def named(pid, process, threads):
    return [meta("process_name", pid, 0, name=process)] + [
        meta("thread_name", pid, tid, name=name) for tid, name in threads.items()]

def counters():
    r = random.Random(7)
    events = named(410, "api server", {410: "event loop"}) + named(411, "postgres", {411: "backend"})
    heap, cache, queue, error = 38e6, 12e6, 0, 40.0
    for i in range(120):
        ts = 1_000_000 + i * 25_000
        busy = 0.75 if 40 <= i < 75 else 0.25
        load = max(0.02, min(0.95, r.gauss(busy, 0.09)))
        heap = 31e6 if heap > 74e6 else heap + 1.6e6 * (0.4 + load)
        cache = min(30e6, cache + 4e5 * load)
        queue = max(0, queue + r.choice([-2, -1, 0, 1, 2]) + (3 if 40 <= i < 50 else 0) - (2 if i > 60 else 0))
        if i == 58: queue += 60
        error = error * 0.9 + r.gauss(0, 14)
        def count(name, args, pid=410, **more):
            events.append({"ph": "C", "name": name, "pid": pid, "tid": pid, "ts": ts, "args": args, **more})
        count("memory", {"heap": int(heap), "cache": int(cache), "stacks": 2_097_152})
        cpu = {"user": round(62 * load, 1), "system": round(23 * load, 1)}
        if 62 <= i < 90: cpu["iowait"] = round(11 * r.random(), 1)
        count("cpu %", cpu)
        count("queue depth", {"requests": queue})
        count("clock error (us)", {"offset": round(error, 2)})
        if i % 3 == 0:
            count("connections", {"open": 20 + int(30 * load)}, id="http")
            count("connections", {"open": 4 + int(6 * load)}, id="admin")
            count("blocks", {"hit": int(4000 * load * r.random()), "read": int(700 * load * r.random())}, pid=411)
        if i % 4 == 0:
            events.append({"ph": "X", "name": "GET /orders", "pid": 410, "tid": 410, "ts": ts, "dur": int(95_000 * load)})
            events.append({"ph": "X", "name": "SELECT", "pid": 411, "tid": 411, "ts": ts + 4000, "dur": int(70_000 * load)})
    return events

def instants():
    r = random.Random(3)
    events = named(20, "game", {20: "main", 21: "audio"}) + named(30, "compositor", {30: "display"})
    def slice_(name, pid, tid, ts, dur):
        events.append({"ph": "X", "name": name, "pid": pid, "tid": tid, "ts": ts, "dur": dur})
    def instant(name, pid, tid, ts, scope):
        events.append({"ph": "i", "name": name, "cat": "marks", "pid": pid, "tid": tid, "ts": ts, "s": scope})
    for i in range(12):
        ts = 5000 + i * 16_667
        late = 9000 if i == 7 else 0
        if i == 8: continue  # dropped: the one before was late
        slice_("frame", 20, 20, ts, 12_500 + late)
        slice_("update", 20, 20, ts + 200, 4500 + late)
        slice_("draw", 20, 20, ts + 5200 + late, 6500)
        slice_("mix", 20, 21, ts + 1000, 3000)
        slice_("present", 30, 30, ts + 13_000 + late, 2200)
        for _ in range(r.randrange(1, 4)):
            instant("input", 20, 20, ts + r.randrange(300, 4500), "t")
        if i % 3 == 1: instant("underrun", 20, 21, ts + 2500, "t")
        instant("flip", 30, 30, ts + 15_200 + late, "t")
    instant("level loaded", 20, 20, 43_000, "p")
    instant("garbage collected", 20, 21, 130_500, "p")
    instant("mode changed", 30, 30, 96_000, "p")
    instant("suspend", 20, 20, 71_000, "g")
    instant("resume", 30, 30, 164_000, "g")
    return events

def objects():
    events = named(7, "renderer", {7: "compositor", 8: "raster worker"})
    def object_(ph, name, id_, ts, snapshot=None):
        e = {"ph": ph, "name": name, "cat": "cc", "pid": 7, "tid": 7, "ts": ts, "id": id_}
        if snapshot is not None: e["args"] = {"snapshot": snapshot}
        events.append(e)
    host = "0x7f10"
    object_("N", "cc::LayerTreeHostImpl", host, 4000)
    for i in range(10):
        ts = 5000 + i * 16_667
        for name, at, dur in [("BeginFrame", 0, 11_000), ("UpdateLayers", 500, 4200), ("Draw", 6000, 4000)]:
            events.append({"ph": "X", "name": name, "cat": "cc", "pid": 7, "tid": 7, "ts": ts + at, "dur": dur})
        events.append({"ph": "X", "name": "RasterTask", "cat": "cc", "pid": 7, "tid": 8, "ts": ts + 3000, "dur": 9000})
        object_("O", "cc::LayerTreeHostImpl", host, ts + 10_000, {
            "device_viewport_size": {"width": 1280, "height": 720}, "frame": i,
            "active_tree": {"root_layer": {"id_ref": "0x7f20"}}})
    lives = [("0x7f20", 6000, None), ("0x7f21", 22_000, 104_000), ("0x7f22", 39_000, 158_000), ("0x7f21", 121_000, None)]
    for n, (id_, born, dies) in enumerate(lives):
        object_("N", "cc::PictureLayerImpl", id_, born)
        for k, ts in enumerate(range(born + 9000, dies or 165_000, 33_334)):
            object_("O", "cc::PictureLayerImpl", id_, ts, {"bounds": [640 - 80 * n, 360], "tiles": 4 + k, "parent": {"id_ref": host}})
        if dies is not None: object_("D", "cc::PictureLayerImpl", id_, dies)
    for n in range(6):
        born = 30_000 + n * 21_000
        object_("N", "cc::Tile", f"0x7f3{n}", born)
        object_("O", "cc::Tile", f"0x7f3{n}", born + 3000, {"layer": {"id_ref": "0x7f22"}, "resolution": "high"})
        object_("D", "cc::Tile", f"0x7f3{n}", born + 34_000)
    return events

if __name__ == "__main__":
    write("counters.json", counters())
    write("instants.json", instants())
    write("objects.json", objects())
