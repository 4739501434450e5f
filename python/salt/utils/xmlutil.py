"""XML as data."""


def to_dict(xmltree, attr=False):
    if len(xmltree) == 0:
        return {**xmltree.attrib, _name(xmltree): xmltree.text} if attr and xmltree.attrib else {_name(xmltree): xmltree.text}
    result = dict(xmltree.attrib) if attr else {}
    for item in xmltree:
        name = _name(item)
        value = to_dict(item, attr) if len(item) else item.text
        if name in result:
            if not isinstance(result[name], list):
                result[name] = [result[name]]
            result[name].append(value)
        else:
            result[name] = value
    return result


def _name(element):
    return element.tag.partition("}")[2] or element.tag
