"""Results of states."""


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
    if isinstance(comments, str):
        original_return["comment"] = comments = [comments] if comments else []
    sub = sub_return["comment"]
    comments.extend(sub if isinstance(sub, list) else [sub])
    if sub_return["changes"]:
        original_return.setdefault("changes", {})[subkey] = sub_return["changes"]
    return original_return


def get_sls_opts(opts, **kwargs):
    return {**opts, **{key: kwargs[key] for key in ("saltenv", "pillarenv") if kwargs.get(key)}}
