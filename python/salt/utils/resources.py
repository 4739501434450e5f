"""Where the pillar declares resources."""


def resource_pillar_key(opts):
    return opts.get("resource_pillar_key") or "resources"


def pillar_resources_tree(opts):
    declared = (opts.get("pillar") or {}).get(resource_pillar_key(opts))
    return declared if isinstance(declared, dict) else {}


def bare_resource_ids_from_decl(decl):
    ids = []
    for value in decl.values() if isinstance(decl, dict) else ():
        listed = value.get("resource_ids") if isinstance(value, dict) else value
        ids.extend(listed if isinstance(listed, list) else ())
    return ids
