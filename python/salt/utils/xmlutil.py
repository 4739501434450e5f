"""XML as data."""


def to_dict(xmltree, attr=False):
    """With `attr` each element is a dict of its attributes and of its text, under its own name."""
    return _full(xmltree) if attr else _plain(xmltree)


def _plain(element):
    if len(element) == 0:
        return {_name(element): element.text}
    result = {}
    for item in element:
        name = _name(item)
        if name not in result:
            result[name] = _plain(item) if len(item) else item.text
            continue
        if not isinstance(result[name], list):
            result[name] = [result[name]]
        result[name].append(_plain(item))
    return result


def _full(element):
    result = dict(element.attrib)
    if len(element) == 0:
        if not result:
            return element.text
        result[_name(element)] = element.text
        return result
    for item in element:
        name = _name(item)
        if name not in result:
            result[name] = _full(item)
            continue
        if not isinstance(result[name], list):
            result[name] = [result[name]]
        result[name].append(_full(item))
    return result


def _name(element):
    return element.tag.partition("}")[2] or element.tag
