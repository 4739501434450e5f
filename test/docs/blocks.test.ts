import { describe, expect, test } from 'vitest'
import { stepsOf } from './blocks.ts'
import { isShown } from './compare.ts'

describe('the steps of a document', () => {
  const fence = '```'

  test('are commands with the output below them, continued lines and texts included', () => {
    const text = `${fence}console\n$ one \\\n  more\nanswer\n$ cat > f <<'END'\na\nEND\n$ two\n${fence}\n`
    expect(stepsOf(text)).toEqual([
      { kind: 'command', line: 2, command: 'one \\\n  more', shown: 'answer' },
      { kind: 'command', line: 5, command: "cat > f <<'END'\na\nEND", shown: '' },
      { kind: 'command', line: 8, command: 'two', shown: '' },
    ])
  })

  test('are files with a path, and hidden commands; other blocks are none', () => {
    const text = `<!-- $ true -->\n${fence}yaml file=a/b.sls\nx: 1\n${fence}\n${fence}yaml\ny: 1\n${fence}\n`
    expect(stepsOf(text)).toEqual([
      { kind: 'command', line: 1, command: 'true', shown: '' },
      { kind: 'file', line: 2, path: 'a/b.sls', text: 'x: 1\n' },
    ])
  })

  test('begin with a prompt, and blocks have an end', () => {
    expect(() => stepsOf(`${fence}console\nsalt\n${fence}\n`)).toThrow("Line 2: a console block begins with '$ '")
    expect(() => stepsOf(`${fence}console\n$ salt\n`)).toThrow('has no end')
  })
})

describe('shown output', () => {
  const same = (shown: string, real: string): boolean => isShown(shown, real, ['web1', 'web2'])

  test('may leave out lines and parts of lines', () => {
    expect(same('a\n…\nd', 'a\nb\nc\nd\n')).toBe(true)
    expect(same('a … d', 'a b c d')).toBe(true)
    expect(same('a\n…\nd', 'a\nb\nc\n')).toBe(false)
  })

  test('may have other times, job ids and durations, and nothing else', () => {
    const line = (jid: string, time: string, ms: string): string => `${jid} at ${time}, ${ms} ms`
    const shown = line('20261118054313136924', '05:43:13.157679', '6.8')
    expect(same(shown, line('20270101000000000000', '12:00:00.000001', '123.4'))).toBe(true)
    expect(same('Succeeded: 7', 'Succeeded: 8')).toBe(false)
  })

  test('may have minions and keys of JSON in any order, each once', () => {
    expect(same('web1:\n    True\nweb2:\n    False', 'web2:\n    False\nweb1:\n    True\n')).toBe(true)
    expect(same('web1:\n    True\nweb2:\n    True', 'web1:\n    True\n')).toBe(false)
    expect(same('web1:\n    True', 'web1:\n    True\nweb2:\n    True\n')).toBe(false)
    expect(same('{"a": 1, "b": {"c": 2}}', '{"b": {"c": 2}, "a": 1}')).toBe(true)
  })
})
