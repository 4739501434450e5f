import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { repr, type Value } from '../data/mod.ts'
import type { Registry } from '../loader/mod.ts'
import { ModuleFolder } from './test-modules.test-support.ts'

const PROBE = `
"""Tries things."""
import collections, datetime, logging
import salt.exceptions
import salt.utils.decorators as decorators

log = logging.getLogger(__name__)
__virtualname__ = "probe"
__func_alias__ = {"list_": "list"}
__outputter__ = {"list": "txt"}

def __virtual__():
    return __virtualname__ if __grains__["kernel"] == "Linux" else (False, "Linux only")

def list_():
    """
    All of it.
    """
    return ["a"]

def data():
    return {
        "b": b"\\x00\\xff", "big": 2**70, "none": None, "t": (1, ("x",)), "s": {1}, "f": 1.0, "flag": True, 3: "int key",
        "od": collections.OrderedDict(z=1), "when": datetime.datetime(2020, 1, 2, 3, 4, 5, 6),
        "zone": datetime.datetime(2020, 1, 2, tzinfo=datetime.timezone.utc), "day": datetime.date(2020, 1, 2),
    }

def same(value, *args, **kwargs):
    return [value, list(args), kwargs]

def keyword_only(*, a, b=2):
    return [a, b]

def seen():
    return [__opts__["id"], __grains__["id"], __pillar__["colour"], __opts__["pillar"]["colour"]]

def nested(depth):
    return depth if depth == 0 else [depth, __salt__["probe.bounce"](depth - 1)]

def bounce(depth):
    return __salt__["probe.nested"](depth)

def count():
    __context__["n"] = __context__.get("n", 0) + 1
    return __context__["n"]

def has(name):
    return [name in __salt__, callable(__salt__.get(name)), "test.ping" in list(__salt__)]

_NOT_SET = object()

def unset():
    found = __salt__["config.get"]("no:such", _NOT_SET)
    return [found is _NOT_SET, __salt__["config.get"]("id", default=_NOT_SET)]

def caught():
    try:
        __salt__["state.enable"](1, 2, 3)
    except TypeError as exc:
        return str(exc)

def shout():
    log.warning("from %s", "python")
    print("printed")
    return True

@decorators.depends("no_such_library")
def needy():
    return True

@decorators.depends("collections")
def met():
    return True

def util():
    return __utils__["colours.mix"]("a")

def _hidden():
    return True
`

let folder: ModuleFolder
let functions: Registry

beforeAll(async () => {
  folder = new ModuleFolder()
  folder.write('modules/probe_file.py', PROBE)
  folder.write('modules/never.py', 'def __virtual__():\n    return False, "not today"\n\ndef x():\n    pass\n')
  folder.write('modules/broken.py', 'def x(:\n')
  folder.write('modules/test.py', 'def ping():\n    return "mine"\n')
  folder.write('modules/mytest.py', 'def __virtual__():\n    return "cp"\n\ndef extra():\n    return 1\n')
  folder.write('modules/_shared.py', 'WORD = "shared"\n')
  folder.write(
    'modules/importing.py',
    'import _shared\n\ndef word():\n    import palette\n    return [_shared.WORD, palette.NAME]\n',
  )
  folder.write('utils/palette.py', 'NAME = "dark"\n')
  folder.write('utils/colours.py', 'def mix(a):\n    return a + __opts__["id"]\n')
  functions = await folder.registry()
})
afterAll(() => folder.remove())

const called = async (name: string, args: Value[] = [], kwargs: Record<string, Value> = {}): Promise<string> =>
  repr(await functions.call(name, args, kwargs))

describe("users' own Python modules", () => {
  test('give values that keep their types', async () => {
    expect(await called('probe.data')).toBe(
      "{'b': b'\\x00\\xff', 'big': 1180591620717411303424, 'none': None, 't': (1, ('x',)), 's': {1}, 'f': 1.0, 'flag': True, " +
        "3: 'int key', 'od': OrderedDict([('z', 1)]), 'when': datetime.datetime(2020, 1, 2, 3, 4, 5, 6), " +
        "'zone': datetime.datetime(2020, 1, 2, 0, 0, tzinfo=datetime.timezone.utc), 'day': datetime.date(2020, 1, 2)}",
    )
  })

  test('take values that keep their types', async () => {
    const value = await functions.call('probe.data')
    expect(await called('probe.same', [value, 1], { k: 2 })).toBe(`[${repr(value)}, [1], {'k': 2}]`)
  })

  test.each([
    ['probe.keyword_only', [], { a: 1 }, '[1, 2]'],
    ['probe.seen', [], {}, "['web1', 'web1', 'blue', 'blue']"],
    ['probe.nested', [3], {}, '[3, [2, [1, 0]]]'],
    ['probe.has', ['test.ping'], {}, '[True, True, True]'],
    ['probe.has', ['no.such'], {}, '[False, False, True]'],
    ['probe.list', [], {}, "['a']"],
    ['probe.met', [], {}, 'True'],
    ['probe.unset', [], {}, "[True, 'web1']"],
    ['probe.caught', [], {}, "'enable() takes 1 positional argument but 3 were given'"],
    ['probe.util', [], {}, "'aweb1'"],
    ['importing.word', [], {}, "['shared', 'dark']"],
    ['cp.extra', [], {}, '1'],
    ['test.ping', [], {}, "'mine'"],
  ] as Array<[string, Value[], Record<string, Value>, string]>)(
    '%s(%j) sees what Salt gives it',
    async (name, args, kwargs, wanted) => {
      expect(await called(name, args, kwargs)).toBe(wanted)
    },
  )

  test('keep what they put into __context__, which the host sees', async () => {
    expect([await functions.call('probe.count'), await functions.call('probe.count')]).toEqual([1, 2])
    expect(functions.ctx.memory.get('n')).toBe(2)
  })

  test('write into the log, also what they print', async () => {
    await functions.call('probe.shout')
    await functions.call('probe.seen')
    expect(folder.lines).toContain('warning: [salt.loaded.ext.module.probe_file] from python')
    await expect.poll(() => folder.lines).toContain('info: printed')
  })

  test('that replace a built-in module replace all of it', () => {
    expect(functions.has('test.echo')).toBe(false)
    expect(functions.has('cp.list_states')).toBe(true)
  })

  test.each([
    ['probe.needy', "'probe.needy' is not available."],
    ['probe._hidden', "'probe._hidden' is not available."],
    ['never.x', "'never' __virtual__ returned False: not today"],
  ])('%s is not there', async (name, message) => {
    await expect((async () => functions.call(name))()).rejects.toThrow(message)
  })

  test('that cannot be read are logged', () => {
    expect(folder.lines.join('\n')).toContain(
      'Failed to import module broken, this is due most likely to a syntax error',
    )
  })

  test('show their documentation and arguments', async () => {
    expect(await called('sys.doc', ['probe.list'])).toBe("{'probe.list': '\\n    All of it.\\n    '}")
    expect(await called('sys.argspec', ['probe.same'])).toBe(
      "{'probe.same': {'args': ['value'], 'defaults': None, 'varargs': True, 'kwargs': True}}",
    )
  })

  test('leave nothing behind when they are loaded again', async () => {
    const text = 'import gc, sys\n\nclass Mark:\n    pass\n\nmark = Mark()\n\ndef marks():\n    gc.collect()\n'
    for (let round = 0; round < 5; round++) {
      const counting = '    return sum(type(item).__name__ == "Mark" for item in gc.get_objects())\n'
      folder.write('modules/marked.py', `${text}${counting}${'#'.repeat(round)}\n`)
      await functions.refresh()
      await functions.call('marked.marks')
    }
    expect(await functions.call('marked.marks')).toBe(1)
  })

  test('are reloaded when their files change', async () => {
    folder.write('modules/fresh.py', 'def one():\n    return 1\n')
    await functions.refresh()
    expect(await functions.call('fresh.one')).toBe(1)
    folder.write('modules/fresh.py', 'def two():\n    return 22\n')
    await functions.refresh()
    expect([functions.has('fresh.one'), await functions.call('fresh.two')]).toEqual([false, 22])
  })
})
