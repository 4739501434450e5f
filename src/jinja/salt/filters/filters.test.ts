import { describe, expect, it } from 'vitest'
import {
  builtinFilters,
  builtinTests,
  Environment,
  saltFilters,
  saltGlobals,
  saltTests,
  TemplateFailure,
} from '../../mod.ts'

const dialect = {
  filters: new Map([...builtinFilters, ...saltFilters]),
  tests: new Map([...builtinTests, ...saltTests]),
  waiting: new Set<string>(),
}

/** The text that `{{ expression }}` writes, or the error's. */
async function shown(expression: string): Promise<string> {
  try {
    return (await new Environment({ dialect, globals: saltGlobals }).render(`{{ ${expression} }}`)).text
  } catch (error) {
    if (!(error instanceof TemplateFailure)) throw error
    return `${error.error.name}: ${error.error.message}`
  }
}

function table(name: string, rows: ReadonlyArray<readonly [string, string]>): void {
  describe(name, () => {
    it.each(rows)('%s → %s', async (expression, wanted) => {
      expect(await shown(expression)).toBe(wanted)
    })
  })
}

table('text', [
  [`"it's" | quote`, `'it'"'"'s'`],
  [`{'a': 1} | json | quote`, '&#39;{"a": 1}&#39;'],
  ["'HTTPServerName' | to_snake_case", 'http_server_name'],
  ["'' | to_snake_case", 'IndexError: string index out of range'],
  ["'snake_case_me' | to_camelcase(uppercamel=true)", 'SnakeCaseMe'],
  ["'/srv' | path_join('/salt', '..', 'top.sls')", '/srv/top.sls'],
  ["'a' | path_join(zap=1)", 'SaltInvocationError: The following keyword arguments are not valid: zap=1'],
  ["'é' | to_bytes(encoding=['ascii', 'latin-1'])", "b'\\xe9'"],
  ['missing | md5', "TypeError: expected str, bytes, or bytearray not <class 'jinja2.runtime.StrictUndefined'>"],
])

table('numbers', [
  ["['1_000', '1.5', ' 7 ', 'x'] | map('to_num') | list", "[1000, 1.5, 7, 'x']"],
  ["'1.5K' | human_to_bytes", '1536'],
  ["'2MB' | human_to_bytes(handle_metric=true)", '2000000'],
  ["'9Q' | human_to_bytes", '0'],
  ['[] | avg', 'ZeroDivisionError: division by zero'],
  ["'zz:00:27:13:69:77' | mac_str_to_bytes", "ValueError: invalid literal for int() with base 16: 'zz'"],
])

table('lists and sets', [
  ['[3, 1, 3] | unique', '[3, 1]'],
  ['(3, 1, 3) | unique', '{1, 3}'],
  ["[1] | union('ab')", 'TypeError: can only concatenate list (not "str") to list'],
  ['[] | min', 'ValueError: min() arg is an empty sequence'],
  ["['x'] | min(attribute='y')", "TypeError: lst_min() got an unexpected keyword argument 'attribute'"],
  ['[1, [2, [3, none]]] | flatten(levels=1)', '[1, 2, [3, None]]'],
  ['[(), ()] | flatten', 'RecursionError: Reference cycle detected. Check input list.'],
  ['[1, 0, 2] | exactly_n_true(2)', 'True'],
  ["['b', 'A'] | is_sorted", "['A', 'b']"],
  ["'ab' | zip([1, 2, 3], strict=true) | list", 'ValueError: zip() argument 2 is longer than argument 1'],
  ["'abc' | combinations(2) | map('join') | list", "['ab', 'ac', 'bc']"],
  ["'abc' | combinations", "TypeError: combinations() missing required argument 'r' (pos 2)"],
])

table('dicts', [
  ["[{'Key': 'a', 'value': 1}, {'name': 'b'}] | from_entries", "{'a': 1, 'b': None}"],
  ["{'a': ['é', {'b': 1}]} | json_encode_dict", "{b'a': [b'\\xc3\\xa9', {b'b': 1}]}"],
  ["['| id | n |', '| 1 | x |'] | mysql_to_dict('id')", "{1: {'id': 1, 'n': 'x'}}"],
  [
    "{'a': {}} | update_dict_key_value('a', 5)",
    "SaltInvocationError: Cannot update <class 'dict'> with a <class 'int'>.",
  ],
  ["odict([('b', 1)]) | yaml", '{b: 1}'],
  ['odict(1, 2)', 'TypeError: expected at most 1 arguments, got 2'],
])

table('patterns', [
  ["'web-01' | regex_match('([a-z]+)-(\\\\d+)')", "('web', '01')"],
  ["'web' | regex_search('e')", "('e',)"],
  ["'x' | regex_search('(')", 're.error: missing ), unterminated subpattern at position 0'],
  ["'abc' | regex_replace('(?P<x>b)', '[\\\\g<x>]')", 'a[b]c'],
  ["'web01' is match('WEB', ignorecase=true)", 'True'],
  ["'web01' | check_whitelist_blacklist(['web\\\\d+'], 'web1*')", 'True'],
  ["'x' | check_whitelist_blacklist(whitelist=5)", 'TypeError: Expecting iterable whitelist, but got int (5)'],
])

table('networks', [
  ["['192.168.0.1', 'x', '::1', '10.0.0.0/8'] | ipaddr", "['192.168.0.1', '10.0.0.0/8', '::1']"],
  ["['8.8.8.8', '10.0.0.1'] | ipv4('private')", "['10.0.0.1']"],
  ['missing | ipv4', 'None'],
  ["'10.0.0.0/30' | network_hosts", "['10.0.0.1', '10.0.0.2']"],
  ["'::/0' | network_hosts", 'MemoryError: ::/0 has too many hosts to list'],
  ["5 | filter_by_networks(['10.0.0.0/8'])", "ValueError: Do not know how to filter a <class 'int'>"],
  ["['::1', 'host'] | ipwrap", "['[::1]', 'host']"],
])

table('serializers', [
  ["{'b': 1, 'a': [1, none]} | yaml(false)", 'a:\n- 1\n- null\nb: 1'],
  ["{'b': 1, 'a': '<'} | json", '{"a": "<", "b": 1}'],
  ["{'a': '<é'} | tojson", '{"a": "\\u003c\\u00e9"}'],
  ['1 | tojson(zap=1)', "TypeError: JSONEncoder.__init__() got an unexpected keyword argument 'zap'"],
  [
    '1 | yaml(1, 2)',
    'TypeError: SerializerExtension.format_yaml() takes from 2 to 3 positional arguments but 4 were given',
  ],
  ["[missing, {'a': other}] | yaml", "UndefinedError: 'missing' is undefined\n'other' is undefined"],
  ["[missing] | yaml | default('none')", 'none'],
  ["'{' | load_json", 'TemplateRuntimeError: Unable to load json from {'],
  ["'!!binary aGk=' | load_yaml", 'hi'],
  ["{'r': {'host': [{'n': 'a'}], 'x': 1}} | xml", '<?xml version="1.0" ?>\n<r x="1">\n <host n="a"/>\n</r>\n'],
  ["{'r': {'c': ['a']}} | xml", 'IndexError: string index out of range'],
  ["{'1a': 1} | xml", 'ValueError: not well-formed (invalid token): line 1, column 1'],
])

table('the rest', [
  ["'abc' | method_call('replace', 'a', 'z')", 'zbc'],
  ["'abc' | method_call('constructor')", 'None'],
  ["{'a': [{'b': 1.0}, {'b': 2}]} | json_query('a[].b')", '[1.0, 2]'],
  ["{} | json_query('a[')", 'ValueError: Invalid jmespath expression: Incomplete expression:\n"a["\n   ^'],
  ["raise('no disk')", 'TemplateError: no disk'],
  ["ifelse('only')", 'only'],
  ["ifelse('a', 'b')", 'SaltException: The ifelse function must have an odd number of arguments!'],
  ["ifelse('web*', 'W', 'x')", "RuntimeError: name '__context__' is not defined"],
])

describe('load_yaml', () => {
  it('fails in the words of Salt and gives the real reason besides', async () => {
    const env = new Environment({ dialect })
    const failure = await env.render("{{ 'a: 1\\na: 2' | load_yaml }}").catch((error) => error)
    expect(failure.error.message).toBe("'NoneType' object has no attribute 'splitlines'")
    expect(failure.error.reason).toBe(
      "Cannot load YAML: found conflicting ID 'a' while constructing a mapping; line 2 of the text",
    )
  })
})

table('filters by the names of Ansible', [
  ["'päss' | b64encode", 'cMOkc3M='],
  ["'cMOkc3M=' | b64decode", 'päss'],
  ["'a' | checksum", '86f7e437faa5a7fce15d1ddcb9eaeaea377667b8'],
  ["'a' | hash", '86f7e437faa5a7fce15d1ddcb9eaeaea377667b8'],
  ["'a' | hash('md5')", '0cc175b9c0f1b6a831c399e269772661'],
  ["'a' | hash('rot13')", 'ValueError: unsupported hash type rot13'],
  ["{'b': 1, 'a': [true]} | to_json", '{"a": [true], "b": 1}'],
  ["{'b': 1} | to_nice_json", '{\n    "b": 1\n}'],
  ["{'b': {'c': [1]}} | to_yaml", 'b:\n  c:\n  - 1'],
  ["{'b': {'c': 1}} | to_nice_yaml", 'b:\n    c: 1'],
  ["'x' | to_yaml", 'x'],
  ['\'{"a": 1}\' | from_json', "{'a': 1}"],
  ["'a: [1]' | from_yaml", "{'a': [1]}"],
  ["['yes', 'On', 1, 'no', 0, none] | map('bool') | list", '[True, True, True, False, False, None]'],
  ["[true, false, none] | map('ternary', 'a', 'b', none_val='c') | list", "['a', 'b', 'c']"],
  ["'/etc/salt/minion' | basename", 'minion'],
  ["['/etc/salt/minion', '/x', 'x', '/etc/'] | map('dirname') | list", "['/etc/salt', '/', '', '/etc']"],
  ["['/a.b/c.tar.gz', '.bashrc', 'a.b/c'] | map('splitext') | map('last') | list", "['.gz', '', '']"],
  ["{'a': {'x': 1}, 'l': [1]} | combine({'a': {'y': 2}, 'l': [2]})", "{'a': {'y': 2}, 'l': [2]}"],
  [
    "{'a': {'x': 1}, 'l': [1]} | combine({'a': {'y': 2}, 'l': [2]}, recursive=true, list_merge='append')",
    "{'a': {'x': 1, 'y': 2}, 'l': [1, 2]}",
  ],
  ['{} | combine([1])', "TypeError: the combine filter expects dicts, not 'int'"],
  ["{'a': 1} | dict2items", "[{'key': 'a', 'value': 1}]"],
  ["[{'key': 'a', 'value': 1}] | items2dict", "{'a': 1}"],
  [
    "[{'k': 'a'}] | items2dict",
    "TypeError: items2dict requires a list of dicts with the keys 'key' and 'value', got {'k': 'a'} in it",
  ],
  ["'a1 b22' | regex_findall('[0-9]+')", "['1', '22']"],
  ["'A a' | regex_findall('a', ignorecase=true)", "['A', 'a']"],
  ["'a, b' | split(', ')", "['a', 'b']"],
  ["' a  b ' | split", "['a', 'b']"],
  ["missing | mandatory('name the host')", 'ValueError: name the host'],
  ['missing | mandatory', "UndefinedError: 'missing' is undefined"],
  ['1 | mandatory', '1'],
  ["'x' | b64encod", "TemplateAssertionError: No filter named 'b64encod'."],
])
