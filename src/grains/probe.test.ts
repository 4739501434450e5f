import { execFileSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { probeScript, readProbe } from './probe.ts'

describe('a probe', () => {
  const probe = {
    programs: ['sh', 'no-such-program'],
    commands: [
      ['echo', "it's", '$HOME'],
      ['no-such-program', 'x'],
      ['sh', '-c', 'printf "a\\nb\\n"; exit 3'],
    ],
    slow: [
      ['sh', '-c', 'echo late; exit 4'],
      ['no-such-program', 'y'],
    ],
  }

  test('asks everything in one shell', () => {
    const { programs, commands } = readProbe(execFileSync('sh', ['-c', probeScript(probe)], { encoding: 'utf8' }))
    expect(programs.get('sh')).toMatch(/^\/.*\/sh$/)
    expect(programs.get('no-such-program')).toBeNull()
    expect([...commands]).toEqual([
      [0, { retcode: 0, stdout: "it's $HOME" }],
      [2, { retcode: 3, stdout: 'a\nb' }],
      [3, { retcode: 4, stdout: 'late' }],
    ])
  })
})
