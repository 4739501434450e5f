import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { answerProblems, logOf, logProblems } from './compare.ts'
import { filled } from './placeholders.ts'
import { Repository } from './repository.ts'

const none = (): undefined => undefined
const answer = (ret: never, rc = 0) => ({ rc, ret, log: [] })
const problems = (cmd: string[], expected: unknown, given: unknown): string[] =>
  answerProblems({ cmd }, { rc: 0, ret: expected as never }, answer(given as never), none)

describe('an answer', () => {
  test('has the order of its lists, but for those of the file server', () => {
    expect(problems(['salt-run', 'pillar.show_pillar', 'web1'], [1, 2], [2, 1])).toHaveLength(1)
    expect(problems(['salt-run', 'fileserver.envs'], ['a', 'b'], ['b', 'a'])).toEqual([])
  })

  test('that is an exception counts by its message', () => {
    const recorded = 'Exception occurred in runner x: <TRACEBACK> salt.exceptions.Error: Failed to load gitfs'
    expect(problems(['salt-run', 'x'], recorded, 'anything: Failed to load gitfs')).toEqual([])
    expect(problems(['salt-run', 'x'], recorded, 'something else')).toHaveLength(1)
  })

  test('that lacks a key or has one too many is another one', () => {
    expect(problems(['salt-run', 'x'], { a: 1 }, {})).toHaveLength(1)
    expect(problems(['salt-run', 'x'], {}, { a: 1 })).toHaveLength(1)
    expect(problems(['salt-run', 'x'], { a: null }, { b: null })).toHaveLength(1)
  })
})

describe('a log', () => {
  test('is compared by its errors, and the words of a library are free', () => {
    const recorded = ["[ERROR] Error occurred fetching gitfs remote 'u': libgit2 says", '[WARNING] anything']
    expect(logProblems(recorded, ["[ERROR] Error occurred fetching gitfs remote 'u': git says\nmore"])).toEqual([])
    expect(logProblems(recorded, ["[ERROR] Error occurred fetching gitfs remote 'v': git says"])).toHaveLength(2)
    expect(logProblems([], ['[CRITICAL] x'])).toEqual(['log has too much: [CRITICAL] x'])
  })

  test('is read without tracebacks', () => {
    const text = '[ERROR   ] one\n  two\nTraceback (most recent call last):\n  File "x"\nOops\n[WARNING ] three\n'
    expect(logOf(text)).toEqual(['[ERROR] one\n  two', '[WARNING] three'])
  })
})

test('Placeholders are filled from the inside out', () => {
  const values = (name: string, argument: string) =>
    name === 'REPO' ? `file:///${argument}` : name === 'IDHASH' ? `#${argument}` : undefined
  expect(filled('<IDHASH:master <REPO:a>> <TIME>', values)).toBe('#master file:///a <TIME>')
})

test('A repository is one that git finds no fault with', () => {
  const folder = mkdtempSync(join(tmpdir(), 'brine-repository-'))
  try {
    const repository = new Repository(join(folder, 'a.git'))
    repository.apply([
      {
        commit: 'c1',
        files: {
          'a/b': 'x\n',
          'a.b': { link: 'a/b' },
          run: { text: '', exec: true },
          m: { submodule: '1'.repeat(40) },
        },
      },
      { commit: 'c2', on: 'dev/x', parent: 'c1', rename: { a: 'z' }, files: { run: null } },
      { tag: 'v1', at: 'c1', annotated: true },
      { delete_branch: 'dev/x' },
      { branch: 'dev', at: 'c2' },
    ])
    const git = (...words: string[]): string =>
      execFileSync('git', ['--git-dir', repository.path, ...words], {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'pipe'],
      })
    git('fsck', '--strict', '--no-dangling')
    expect(git('ls-tree', '-r', '--name-only', 'dev').split('\n').filter(Boolean)).toEqual(['a.b', 'm', 'z/b'])
    expect(git('for-each-ref', '--format=%(refname)').trim().split('\n')).toEqual([
      'refs/heads/dev',
      'refs/heads/master',
      'refs/tags/v1',
    ])
  } finally {
    rmSync(folder, { recursive: true })
  }
})
