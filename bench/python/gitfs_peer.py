# Salt's side of the bench `gitfs`: the work of bench/gitfs-worker.ts by salt.utils.gitfs with pygit2.
import asyncio
import json
import os
import resource
import sys
import time

asyncio.set_event_loop(asyncio.new_event_loop())

import salt.config
import salt._logging
import salt.fileserver.gitfs
import salt.utils.gitfs

task = json.loads(sys.argv[1])
opts = salt.config.master_config("/nonexistent")
opts.update(
    __role="master",
    cachedir=task["cachedir"],
    sock_dir=task["cachedir"],
    gitfs_remotes=task["remotes"],
    gitfs_provider="pygit2",
    fileserver_backend=["gitfs"],
    fileserver_list_cache_time=20,
    hash_type="sha256",
)
gitfs = salt.utils.gitfs.GitFS(
    opts,
    opts["gitfs_remotes"],
    per_remote_overrides=salt.fileserver.gitfs.PER_REMOTE_OVERRIDES,
    per_remote_only=salt.fileserver.gitfs.PER_REMOTE_ONLY,
)


def cpu_ms():
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used) * 1000


def cost(what, work, times=1):
    cpu, wall = cpu_ms(), time.monotonic()
    for count in range(times):
        work(count)
    line = {"what": what, "cpuMs": (cpu_ms() - cpu) / times, "wallMs": (time.monotonic() - wall) * 1000 / times}
    print(json.dumps(line), flush=True)


def move(commit):
    path = os.path.join(task["repository"], "refs", "heads", "master")
    with open(path + ".lock", "w") as file:
        file.write(commit + "\n")
    os.rename(path + ".lock", path)


def update(_=0):
    gitfs.update()


def followed(count):
    move(task["commits"][count])
    gitfs.update()


REPEATED = 30 if task["isUpdatesOnly"] else 300
NEW_COMMITS = 20


def hash_all(_=0):
    for path in gitfs.file_list({"saltenv": "base"}):
        gitfs.file_hash({"path": path, "saltenv": "base"}, gitfs.find_file(path, "base"))


def list_all(_=0):
    for env in gitfs.envs():
        gitfs.file_list({"saltenv": env})


def rss_mib():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS")) / 1024


cost("update, cold", update)
time.sleep(2.5)
gitfs.update()
cost("update, nothing new", update, REPEATED)
cost("update, one new commit", followed, NEW_COMMITS)
if task["isUpdatesOnly"]:
    sys.exit()
cost("lists of all environments", list_all)
cost("lists of all environments, again", list_all, REPEATED)
cost("hashes of all files", hash_all)
cost("hashes of all files, again", hash_all)
time.sleep(2.5)
gitfs.update()
cost("update, nothing new, after serving", update, 5)
first = 0
for count in range(1, task["updates"] + 1):
    if count % 10 == 0:
        move(task["commits"][(NEW_COMMITS + count // 10) % len(task["commits"])])
    gitfs.update()
    if count == -(-task["updates"] // 10):
        first = rss_mib()
print(json.dumps({"what": "memory", "firstMiB": first, "lastMiB": rss_mib(), "updates": task["updates"]}), flush=True)
