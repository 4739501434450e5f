import { expect, test } from 'vitest'
import { toPlain, type Value } from '../../../data/mod.ts'
import { MemoryHost } from '../../../host/mod.ts'
import { tryFunction } from '../../../sdk/mod.ts'
import augeas from './module.ts'

/** The output of augtool for single commands. */
const SHOWN: Readonly<Record<string, string>> = {
  'match /files/etc/hosts/*': '/files/etc/hosts/1 = (none)\n/files/etc/hosts/#comment = a = b\n',
  'match /files/etc/hosts/*/*': '/files/etc/hosts/1/ipaddr = 127.0.0.1\n',
  'match /files/etc/hosts/1/ipaddr': '/files/etc/hosts/1/ipaddr = 127.0.0.1\n',
  'match /files/none': '  (no matches)\n',
  'match /files/etc/hosts': '/files/etc/hosts = (none)\n',
  'match /files/etc/hosts//*': '/files/etc/hosts/1 = (none)\n/files/etc/hosts/1/ipaddr = 127.0.0.1\n',
  'rm /files/etc/hosts/1\nsave': 'rm : /files/etc/hosts/1 3\nSaved 1 file(s)\n',
}

async function call(fun: string, args: Value[] = [], kwargs: Record<string, Value> = {}) {
  const seen: { argv: readonly string[]; script: string }[] = []
  const host = await MemoryHost.with({
    files: { '/usr/bin/augtool': { text: '', mode: 0o755 }, '/lenses/': '' },
    commands: [
      ({ argv, stdin }) => {
        const script = String(stdin).trim()
        seen.push({ argv, script })
        if (script.includes('refused'))
          return { retcode: 1, stderr: 'error: Failed to execute command\nsaving failed\n' }
        return SHOWN[script] ?? ''
      },
    ],
  })
  return { answer: toPlain(await tryFunction(augeas, fun, { args, kwargs, host })), seen }
}

test.each<[string, Value[], unknown]>([
  ['ls', ['/files/etc/hosts/'], { '1/': null, '#comment': 'a = b' }],
  ['get', ['/files/etc/hosts/1', 'ipaddr'], { '/files/etc/hosts/1/ipaddr': '127.0.0.1' }],
  ['get', ['/files/none'], { '/files/none': '' }],
  ['match', ['/files/etc/hosts/*', 'a = b'], { '/files/etc/hosts/#comment': 'a = b' }],
  [
    'tree',
    ['/files/etc/hosts/'],
    { '/files/etc/hosts': null, '/files/etc/hosts/1': null, '/files/etc/hosts/1/ipaddr': '127.0.0.1' },
  ],
  ['remove', ['/files/etc/hosts/1'], { retval: true, count: 3 }],
])('augeas.%s %j', async (fun, args, answer) => {
  expect((await call(fun, args)).answer).toEqual(answer)
})

test('augeas.execute runs commands below a context, with a lens', async () => {
  const commands = ['set bind 0.0.0.0', 'ins x before /files/etc/r.conf/y', 'set a \'b "c"\'', 'rm z', 'set e']
  const { answer, seen } = await call('execute', [], {
    context: '/files/etc/r.conf',
    lens: 'Redis.lns',
    commands,
    load_path: '/lenses:/none',
  })
  expect(answer).toEqual({ retval: true })
  expect(seen[0]!.argv).toEqual(['/usr/bin/augtool', '-A', '-I', '/lenses'])
  expect(seen[0]!.script.split('\n')).toEqual([
    'transform Redis.lns incl /etc/r.conf',
    'load',
    'set /files/etc/r.conf/bind "0.0.0.0"',
    'ins x before /files/etc/r.conf/y',
    'set /files/etc/r.conf/a "b \\"c\\""',
    'rm /files/etc/r.conf/z',
    'clear /files/etc/r.conf/e',
    'save',
  ])
})

test.each<[string[], string | null, string]>([
  [['foo a'], null, 'Command foo is not supported (yet)'],
  [['mv a'], null, 'Invalid formatted command, see debug log for details: a'],
  [
    ['set refused 1'],
    'Redis',
    'saving failed\nLenses are normally configured as "name.lns". Did you mean "Redis.lns"?',
  ],
])('augeas.execute %j with lens %s reports the error', async (commands, lens, error) => {
  expect((await call('execute', [], { commands, lens })).answer).toEqual({ retval: false, error })
})

test('augeas.setvalue sets pairs of paths and values below a prefix', async () => {
  const { answer, seen } = await call('setvalue', ['prefix=/files/etc/hosts', '1/alias', 'web one', '2/alias', 'db'])
  expect(answer).toEqual({ retval: true })
  expect(seen[0]!.script).toBe('set /files/etc/hosts/1/alias "web one"\nset /files/etc/hosts/2/alias "db"\nsave')
  await expect(call('setvalue', ['/files/etc/hosts/1/alias'])).rejects.toThrow('Uneven number of path/value arguments')
  expect((await call('setvalue', ['refused', 'x'])).answer).toMatchObject({ retval: false })
})
