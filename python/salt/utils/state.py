"""Results of states."""

from salt import _host


def gen_tag(low):
    return "{0[state]}_|-{0[__id__]}_|-{0[name]}_|-{0[fun]}".format(low)


def check_result(running, recurse=False, highstate=None):
    if not isinstance(running, dict) or not running and not recurse:
        return bool(running) if recurse else False
    for result in running.values():
        if isinstance(result, dict):
            verdict = result.get("result", False) if "result" in result else check_result(result, True)
            if verdict is False:
                return False
    return True


def merge_subreturn(original_return, sub_return, subkey=None):
    if not subkey:
        subkey = sub_return["name"]
    result = original_return.setdefault("result", None)
    if result or result is None:
        if result is None or not sub_return["result"]:
            original_return["result"] = sub_return["result"]
    comments = original_return.setdefault("comment", [])
    sub = sub_return["comment"]
    sub = sub if isinstance(sub, list) else [sub]
    if isinstance(comments, list):
        comments.extend(sub)
    else:
        original_return["comment"] = "\n".join([comments, *sub] if comments else sub)
    if sub_return["changes"]:
        original_return.setdefault("changes", {})[subkey] = sub_return["changes"]
    return original_return


def get_sls_opts(opts, **kwargs):
    return {**opts, **{key: kwargs[key] for key in ("saltenv", "pillarenv") if kwargs.get(key)}}


def search_onfail_requisites(sid, highstate):
    """The states that are there for when one fails."""
    found = []
    for name, body in highstate.items():
        for part, items in body.items() if isinstance(body, dict) else ():
            for item in items if isinstance(items, list) else ():
                wanted = item.get("onfail", ()) if isinstance(item, dict) else ()
                if any(isinstance(one, dict) and sid in one.values() for one in wanted):
                    found.append((name, part.partition(".")[0]))
    return found


def get_active_states(*args, **kwargs):
    return _host.ask("call", "function", "saltutil.is_running", ["state.*"], {})
