# What scripts on the master's machine do with Salt's Python, step by step. Prints one line of JSON: the outcome of each step by its name.
import json
import os
import sys
import time

import tornado.queues  # releases before 3008 use it without importing it

import salt.auth
import salt.client
import salt.config
import salt.exceptions
import salt.netapi
import salt.runner
import salt.utils.event
import salt.wheel

conf, minion_conf = sys.argv[1:]
opts = salt.config.client_config(conf)
everybody = ["one", "two"]
credentials = {"username": "alice", "password": "any", "eauth": "auto"}
outcomes = {}


def step(name, work):
    try:
        outcomes[name] = work()
    except Exception as error:
        outcomes[name] = "{}: {}".format(type(error).__name__, error)
    return outcomes[name]


def by_id(parts):
    found = {}
    for part in parts:
        found.update(part or {})
    return {minion: data["ret"] if isinstance(data, dict) else data for minion, data in found.items()}


def until(look, wanted):
    for _ in range(600):
        found = look()
        if found == wanted:
            break
        time.sleep(0.1)
    return found


local = salt.client.LocalClient(c_path=conf)
step("cmd", lambda: local.cmd("*", "test.ping"))
step("cmd with arguments", lambda: local.cmd("one", "test.kwarg", kwarg={"a": 1})["one"]["a"])
step("cmd nobody", lambda: local.cmd("nobody", "test.ping"))
step("cmd slow", lambda: local.cmd("*", "test.sleep", [4], timeout=2))
jid = step("cmd_async", lambda: local.cmd_async("*", "test.echo", ["hi"]))
step("get_cache_returns", lambda: until(lambda: by_id([local.get_cache_returns(jid)]), dict.fromkeys(everybody, "hi")))
step("get_full_returns", lambda: by_id([local.get_full_returns(jid, everybody, 30)]))
step("get_cli_returns", lambda: by_id(local.get_cli_returns(jid, everybody, 30)))
step("cmd_iter", lambda: by_id(local.cmd_iter("*", "test.ping")))
step("cmd_iter_no_block", lambda: by_id(local.cmd_iter_no_block("*", "test.ping")))
step("cmd_cli", lambda: by_id(local.cmd_cli("*", "test.ping")))
step("cmd_batch", lambda: by_id(local.cmd_batch("*", "test.ping", batch="1")))
step("cmd_subset", lambda: list(local.cmd_subset("*", "test.ping", subset=1).values()))
step("cmd_full_return", lambda: by_id([local.cmd_full_return("*", "test.ping")]))
job = step("run_job", lambda: local.run_job("*", "test.sleep", [1]))
step("run_job returns", lambda: by_id(local.get_cli_returns(job["jid"], job["minions"], 30)))

runner = salt.runner.RunnerClient(opts)
step("runner", lambda: runner.cmd("test.arg", [1], kwarg={"a": 2}, print_event=False))
step("list_jobs", lambda: runner.cmd("jobs.list_jobs", print_event=False)[jid]["Function"])
step("lookup_jid", lambda: runner.cmd("jobs.lookup_jid", [jid], print_event=False))
step("execute", lambda: runner.cmd("salt.execute", ["*", "test.ping"], print_event=False))
step("runner cmd_sync", lambda: runner.cmd_sync(dict(credentials, fun="test.arg", arg=[1], kwarg={"a": 2})))
step("runner cmd_async", lambda: runner.cmd_async(dict(credentials, fun="manage.up"))["tag"][:9])
wheel = salt.wheel.WheelClient(opts)
step("wheel", lambda: wheel.cmd("key.list_all", print_event=False)["minions"])
step("wheel cmd_sync", lambda: wheel.cmd_sync(dict(credentials, fun="key.list_all"))["data"]["return"]["minions"])

opts["netapi_enable_clients"] = ["local", "local_async", "local_batch", "runner", "wheel"]
token = salt.auth.Resolver(opts).mk_token(dict(credentials))["token"]
made = salt.auth.LoadAuth(opts).mk_token(dict(credentials))["token"]
step("own token", lambda: local.cmd("*", "test.ping", token=made))
step("own token refused", lambda: local.cmd("*", "cmd.run", ["id"], token=made))
step("token", lambda: salt.auth.Resolver(opts).get_token(token)["name"])


def api(client, **low):
    return salt.netapi.NetapiClient(opts).run(dict(low, client=client, token=token))


step("api local", lambda: api("local", tgt="*", fun="test.ping"))
step("api local refused", lambda: api("local", tgt="*", fun="cmd.run", arg=["id"]))
step("api local_async", lambda: sorted(api("local_async", tgt="*", fun="test.ping")["minions"]))
step("api local_batch", lambda: by_id(api("local_batch", tgt="*", fun="test.ping", batch="1")))
step("api runner", lambda: until(lambda: sorted(api("runner", fun="manage.up")), everybody))
step("api wheel", lambda: api("wheel", fun="key.list_all")["data"]["return"]["minions"])

event = salt.utils.event.get_event("master", sock_dir=opts["sock_dir"], opts=opts, listen=True)
event.connect_pub(timeout=60)
step("fire", lambda: event.fire_event({"n": 1}, "my/tag"))
step("hear", lambda: event.get_event(wait=60, tag="my/tag")["n"])
minion_opts = salt.config.minion_config(minion_conf)
own = salt.utils.event.get_event("minion", sock_dir=minion_opts["sock_dir"], opts=minion_opts, listen=True)
own.connect_pub(timeout=60)
step("fire on a minion", lambda: own.fire_event({"n": 2}, "own/tag"))
step("hear on a minion", lambda: own.get_event(wait=60, tag="own/tag")["n"])
own.fire_master({"n": 3}, "up/tag")
step("hear from a minion", lambda: event.get_event(wait=60, tag="up/tag")["data"]["n"])
print(json.dumps(outcomes))
