import { describe, expect, test } from 'vitest'
import { toPlain } from '../data/mod.ts'
import { readCommandLine } from './command-lines.ts'
import { ProgramExit } from './optparse/exit.ts'
import { PROGRAMS } from './programs.ts'

function read(program: string, argv: string[], stdin = '') {
  const line = readCommandLine(PROGRAMS.get(program)!, argv, { version: '1', stdin: () => stdin })
  return toPlain(line.meaning)
}

describe('a command line of salt', () => {
  test.each<[string[], Record<string, unknown>]>([
    [['-L', 'a, b', 'f'], { tgt: ['a', 'b'], fun: 'f', selected_target_option: 'list' }],
    [['-I', 'a:b', 'f'], { tgt: 'a:b', selected_target_option: 'pillar' }],
    [['*', 'a.b,c.d', 'x,', 'y'], { fun: ['a.b', 'c.d'], arg: [['x'], ['y']] }],
    [['*', 'a.b,c.d', 'x,y', ''], { arg: [['x'], ['y', '']] }],
    [['--args-separator=::', '*', 'a,b', '1', '::', 'k=2'], { arg: [[1], [{ __kwarg__: true, k: 2 }]] }],
    [['-d', '*', 'test.ping'], { tgt: '*', fun: 'sys.doc', arg: ['test.ping'] }],
  ])('%j', (argv, meaning) => {
    expect(read('salt', argv)).toMatchObject(meaning)
  })

  test('refuses arguments that do not share out', () => {
    expect(() => read('salt', ['*', 'a,b', 'x'])).toThrow('without defining all arguments')
    expect(() => read('salt', ['*', 'a,b', 'x,y,z'])).toThrow('with more arguments than commands')
  })

  test('takes more words from standard input on request', () => {
    expect(read('salt', ['--args-stdin', '*', 'f', 'a'], 'b\r\n--out=json\nc=1\n')).toMatchObject({
      arg: ['a', 'b', { __kwarg__: true, c: 1 }],
    })
  })
})

describe('command lines of other programs', () => {
  test.each([
    ['salt-run', ['--jid', '2020', 'f'], "'2020' is not a valid JID"],
    ['salt-run', ['-d', 'a', 'b'], 'You can only get documentation for one method at one time'],
    ['salt-key', ['-l', 'zzz'], "'zzz' is not a valid argument to '--list'"],
    ['salt-key', ['--keysize', '512'], 'The minimum value for keysize is 2048'],
    ['salt-proxy', [], 'salt-proxy requires --proxyid'],
  ])('%s %j is refused', (program, argv, message) => {
    expect(() => read(program, argv)).toThrow(message)
  })

  test.each(['salt-cp', 'salt-ssh', 'spm'])('%s without words shows its help', (program) => {
    expect(() => read(program, [])).toThrow(ProgramExit)
    expect(() => read(program, [])).toThrow(`${program}: error: Insufficient arguments`)
  })

  test('salt-cp distinguishes sources from the destination', () => {
    expect(read('salt-cp', ['-L', 'a,b', '/no/x', '/no/y', '/tmp'])).toMatchObject({
      tgt: ['a', 'b'],
      src: ['/no/x', '/no/y'],
      dest: '/tmp',
    })
  })
})
