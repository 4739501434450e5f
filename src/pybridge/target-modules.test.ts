import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { until } from '../../test/until.ts'
import type { Dict, Value } from '../data/mod.ts'
import { renderText } from '../render/mod.ts'
import { userGrains } from './grains-modules.ts'
import { TestTarget } from './target.test-support.ts'
import { ModuleFolder } from './test-modules.test-support.ts'

let folder: ModuleFolder
const targets: TestTarget[] = []

function target(python?: string | null): TestTarget {
  const made = new TestTarget(python)
  targets.push(made)
  return made
}

beforeEach(() => {
  folder = new ModuleFolder()
})

afterEach(() => {
  folder.remove()
  for (const made of targets.splice(0)) made.close()
})

const PURE = `
import json
import os
def hello(who='you'):
    return json.dumps([who, __grains__['id'], os.path.join('a', 'b'), __salt__['test.echo']('x')])
def where():
    return __salt__['machine.where']()
`
const MACHINE = `
import os
import helper
__virtualname__ = 'machine'
def __virtual__():
    return __virtualname__ if os.environ.get('TARGET') else (False, 'not on a target')
def where():
    return [os.environ.get('TARGET', 'no'), os.getcwd(), helper.NAME, __pillar__['colour']]
def echo(value):
    print('printed on the target')
    return __salt__['test.echo'](value)
def pure():
    return __salt__['pure.hello']('far')
def fail():
    raise ValueError('broken')
def context():
    __context__['n'] = __context__.get('n', 0) + 1
    return __context__['n']
`

describe('modules for a target', () => {
  beforeEach(() => {
    folder.write('modules/pure.py', PURE)
    folder.write('modules/machine_mod.py', MACHINE)
    folder.write('utils/helper.py', "NAME = 'helper'\n")
  })

  test('one that only computes and calls functions runs here and starts nothing there', async () => {
    const there = target()
    const registry = await folder.registry({ host: there.host() })
    expect(await registry.call('pure.hello', ['Ann'])).toBe('["Ann", "web1", "a/b", "x"]')
    expect(registry.has('machine.where')).toBe(true)
    expect(there.children).toHaveLength(0)
  })

  test('one that touches the machine runs there, with the files it imports', async () => {
    const there = target()
    const registry = await folder.registry({ host: there.host() })
    const home = there.home
    expect(await registry.call('machine.where')).toEqual(['yes', home, 'helper', 'blue'])
    expect(await registry.call('pure.where')).toEqual(['yes', home, 'helper', 'blue'])
    expect(await registry.call('machine.pure')).toBe('["far", "web1", "a/b", "x"]')
    expect(there.children).toHaveLength(1)
  })

  test('values, context, prints and exceptions pass', async () => {
    const there = target()
    there.greeting = 'Welcome'
    const registry = await folder.registry({ host: there.host() })
    const value = new Map<Value, Value>([['bytes', new Uint8Array([0, 255])]])
    expect(await registry.call('machine.echo', [value])).toEqual(value)
    expect(await registry.call('machine.context')).toBe(1)
    expect(await registry.call('machine.context')).toBe(2)
    const error = (await Promise.resolve(registry.call('machine.fail')).catch((failure) => failure)) as Error & {
      trace: string
    }
    expect(error.message).toBe('broken')
    expect(error.trace).toContain("    raise ValueError('broken')")
    await until('the printed line', () => folder.lines.includes('info: printed on the target'))
  })

  test('a changed module is sent again', async () => {
    const registry = await folder.registry({ host: target().host() })
    await registry.call('machine.where')
    folder.write('modules/machine_mod.py', MACHINE.replace("os.getcwd(), helper.NAME, __pillar__['colour']", "'new'"))
    await registry.refresh()
    expect(await registry.call('machine.where')).toEqual(['yes', 'new'])
  })

  test('two targets never share a process', async () => {
    const [one, two] = [target(), target()]
    const registries = [await folder.registry({ host: one.host() }), await folder.registry({ host: two.host() })]
    const found = await Promise.all(registries.map((registry) => registry.call('machine.where')))
    expect(found.map((answer) => (answer as Value[])[1])).toEqual([one.home, two.home])
    expect([one.children.length, two.children.length]).toEqual([1, 1])
  })

  test('without Python there, the error names the module, its requirement and the remedy', async () => {
    const registry = await folder.registry({ host: target(null).host() })
    await expect(registry.call('machine.where')).rejects.toThrow(
      "'machine' __virtual__ returned False: machine_mod.py uses os.environ.get in line 6, so it runs on the target, " +
        'but the target has no python3: install python3 (3.6 or newer) there, or call functions of __salt__ instead',
    )
    expect(await registry.call('pure.hello')).toContain('"you"')
  })

  test('a worker that ends before its start is reported', async () => {
    const registry = await folder.registry({ host: target('#!/bin/sh\necho no luck >&2; exit 3\n').host() })
    await expect(registry.call('machine.where')).rejects.toThrow(
      'Python could not be started on the target: it ended with status 3: no luck',
    )
  })
})

describe('requests of a target', () => {
  const ASKING = `
import os
def ask(name, *args, **kwargs):
    os.getpid()
    return __salt__[name](*args, **kwargs)
`
  const ask = async (...args: Value[]): Promise<Value> => {
    folder.write('modules/asking.py', ASKING)
    folder.write(
      'modules/between.py',
      'def pass_on(name, *args, **kwargs):\n    return __salt__[name](*args, **kwargs)\n',
    )
    const { opts } = folder
    const functions = await folder.registry({
      host: target().host(),
      render: async ({ text, ...request }) =>
        (await renderText(text, { ...request, opts, grains: new Map(), pillar: new Map() })).value,
    })
    return functions.call('asking.ask', args)
  }

  test('functions that reach other machines are refused, however they are reached', async () => {
    const refused = "'publish.publish' reaches beyond the target, so a module on the target cannot call it"
    await expect(ask('publish.publish', '*', 'test.ping')).rejects.toThrow(refused)
    await expect(ask('between.pass_on', 'publish.publish', '*', 'test.ping')).rejects.toThrow(refused)
  })

  test('no server is asked by the controller for it', async () => {
    const asked: string[] = []
    const web = createServer(({ url = '' }, answer) => {
      asked.push(url)
      answer.end('canary')
    })
    await once(web.listen(0, '127.0.0.1'), 'listening')
    const { port } = web.address() as AddressInfo
    try {
      for (const call of [
        ['http.query', `http://127.0.0.1:${port}/query`],
        ['cp.get_file_str', `http://127.0.0.1:${port}/file`],
        ['cp.get_url', 's3://bucket/key', null],
        ['network.connect', '127.0.0.1', port],
      ] satisfies Value[][])
        await expect(ask(...call)).rejects.toThrow(/module on the target/)
    } finally {
      web.close()
    }
    expect(asked).toEqual([])
  })

  test('options of the master are not shown to it', async () => {
    folder.opts.set('__master_opts__', new Map([['ssh_passwd', 'secret']]))
    folder.opts.set('ext_pillar', [new Map([['vault', 'secret']])])
    for (const asked of [
      ['config.get', '__master_opts__:ssh_passwd'],
      ['config.get', 'ext_pillar'],
      ['config.items'],
      ['test.get_opts'],
    ]) {
      await expect(ask(...asked)).rejects.toThrow('reaches beyond the target')
    }
    expect(await ask('config.get', 'log_level')).toBe('info')
    folder.write('modules/showing.py', 'import os\ndef opts(): return sorted(__opts__) if os.getpid() else None\n')
    const registry = await folder.registry({ host: target().host() })
    const names = await registry.call('showing.opts')
    expect(names).toContain('log_level')
    expect(names).not.toContain('__master_opts__')
    expect(names).not.toContain('ext_pillar')
  })

  test('templates are not rendered here for it', async () => {
    const asked = ask('slsutil.renderer', null, "#!jinja\n{{ '/etc/passwd' | file_hashsum }}")
    await expect(asked).rejects.toThrow(
      "The renderer 'jinja' is refused for a text of the target, or of a caller with rights on the target alone",
    )
    const python = ask('slsutil.renderer', null, '#!py\ndef run(): return 1')
    await expect(python).rejects.toThrow("The renderer 'py' is refused")
    const data = (await ask('slsutil.renderer', null, '#!yaml\na: 1')) as Dict
    expect([...data]).toEqual([['a', 1]])
  })

  test('a frame that is too large, or no frame, ends the worker', async () => {
    folder.write('modules/asking.py', ASKING)
    for (const [bytes, why] of [
      ['\\377\\377\\377\\377', 'a frame of 4294967295 bytes is too large'],
      ['\\0\\0\\0\\1\\1', 'a frame is no message'],
    ]) {
      const script = `#!/bin/sh\necho "$4"\nprintf '${bytes}'\nexec cat >/dev/null\n`
      const registry = await folder.registry({ host: target(script).host() })
      await expect(registry.call('asking.ask', ['test.ping'])).rejects.toThrow(`wrote what cannot be read: ${why}`)
    }
  })
})

describe('states and grains for a target', () => {
  test('states', async () => {
    folder.write(
      'states/spot.py',
      "import os\ndef here(name):\n    return {'name': name, 'result': True, 'changes': {}, 'comment': os.environ['TARGET']}\n",
    )
    const registry = await folder.registry({ host: target().host() })
    expect(registry.stateTable['spot']![0]!.functions).toEqual(['here'])
    const { default: declaration } = await registry.stateTable['spot']![0]!.load()
    expect(Object.keys(declaration.functions)).toEqual(['here'])
  })

  test('grains of both places, in one collection', async () => {
    folder.write('grains/colour.py', "def colour():\n    return {'colour': 'green'}\n")
    folder.write(
      'grains/place.py',
      "import os\ndef place(grains):\n    return {'place': os.environ['TARGET'] + grains['colour']}\n",
    )
    const around = { opts: folder.opts, log: folder.log }
    const known: Dict = new Map([['id', 'web1']])
    const found = await userGrains({ ...around, host: target().host() }, known)
    expect(found).toEqual([new Map([['colour', 'green']]), new Map([['place', 'yesgreen']])])
    expect(await userGrains({ ...around, host: target(null).host() }, known)).toEqual([new Map([['colour', 'green']])])
    expect(folder.lines.join()).toContain('place.py uses os.environ in line 3')
  })
})
