import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Asking } from '../questions.ts'
import { saltSsh } from './main.ts'
import type { RosterEntry, SshAnswer, SshJobRequest, SshTargets } from './work.ts'

let folder: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'brine-ssh-'))
  mkdirSync(join(folder, 'conf'))
  writeFileSync(
    join(folder, 'conf/master'),
    `root_dir: ${folder}/root\nuser: me\nrawfile_json.filename: ${folder}/returns\n`,
  )
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const answer = (id: string, more: Partial<SshAnswer> = {}): SshAnswer => ({
  id,
  shown: true,
  full: true,
  retcode: 0,
  ...more,
})

const REFUSED = answer('a', { shown: 'Permission denied (publickey).', retcode: 255, isRefused: true })

class Play implements SshTargets {
  out = ''
  err = ''
  readonly requests: SshJobRequest[] = []
  readonly installed: string[] = []
  readonly asked: string[] = []
  private readonly rounds: SshAnswer[][]
  private readonly replies: string[]

  /** The results of each job in order, and the typed answers. */
  constructor(rounds: SshAnswer[][], replies: string[] = []) {
    this.rounds = rounds
    this.replies = replies
  }

  async find(): Promise<RosterEntry[]> {
    return (this.rounds[0] ?? []).map(({ id }) => ({ id, settings: new Map([['user', 'deploy']]), from: 'a test' }))
  }

  async run(_parts: unknown, _entries: unknown, request: SshJobRequest) {
    const answers = this.rounds[this.requests.length] ?? []
    this.requests.push(request)
    return {
      jid: request.jid ?? '20260102030405060708',
      answers: (async function* () {
        yield* answers
      })(),
    }
  }

  async installKey(_work: unknown, { id }: RosterEntry, password: string): Promise<void> {
    if (password === 'wrong') throw new Error('no such password')
    this.installed.push(`${id} ${password}`)
  }

  async call(...argv: string[]): Promise<number> {
    const questions: Asking = {
      isTerminal: false,
      ask: async ({ text }) => {
        this.asked.push(text)
        return this.replies.shift()
      },
      close: () => undefined,
    }
    const streams = {
      out: (text: string) => {
        this.out += text
      },
      err: (text: string) => {
        this.err += text
      },
      terminal: false,
    }
    return saltSsh(['-c', join(folder, 'conf'), ...argv], streams, { targets: this, questions })
  }
}

describe('salt-ssh', () => {
  test('prints returns as they arrive and passes words on unchanged', async () => {
    const play = new Play([[answer('b', { shown: 'x' }), answer('a')]])
    expect(await play.call('*', 'test.arg', '1', 'k=v', '--no-parse=k')).toBe(0)
    expect(play.out).toBe('b:\n    x\na:\n    True\n')
    expect(play.requests[0]).toMatchObject({
      tgt: '*',
      tgtType: 'glob',
      fun: 'test.arg',
      words: ['1', 'k=v'],
      user: 'me',
    })
    expect(play.requests[0]!.noParse).toEqual(['k'])
  })

  test('prints one document with --static', async () => {
    const play = new Play([[answer('b'), answer('a', { shown: null, retcode: 3 })]])
    expect(await play.call('-s', '--out=json', '*', 'test.ping')).toBe(20)
    expect(JSON.parse(play.out)).toEqual({ a: null, b: true })
  })

  test('joins the words of a command line by blanks', async () => {
    const play = new Play([[answer('a')]])
    await play.call('a', '-r', 'echo', 'b  c')
    expect(play.requests[0]).toMatchObject({ raw: 'echo b  c' })
  })

  test('prints the job id first with --verbose', async () => {
    const play = new Play([[answer('a')]])
    await play.call('-v', '--jid=20240102030405060708', 'a', 'test.ping')
    expect(play.out).toBe(`Executing job with jid 20240102030405060708\n${'-'.repeat(43)}\n\n\na:\n    True\n`)
  })

  test('says that no target matches, and succeeds', async () => {
    const play = new Play([])
    expect(await play.call('a', 'test.ping')).toBe(0)
    expect(play.err).toBe('[ERROR   ] No matching targets found in roster.\n')
  })

  test.each([
    [1, 20],
    [255, 20],
    [11, 11],
    [73, 73],
  ])('return code %i ends in exit code %i', async (retcode, status) => {
    expect(await new Play([[answer('a'), answer('b', { retcode })]]).call('*', 'test.ping')).toBe(status)
  })

  test.each([[['a']], [['a', '-r']], [[]]])('%j is insufficient', async (argv) => {
    const play = new Play([])
    expect(await play.call(...argv)).toBe(64)
    expect(play.err).toContain('salt-ssh: error: Insufficient arguments\n')
  })

  test('refuses --thin with --relenv', async () => {
    const play = new Play([])
    expect(await play.call('--thin', '--relenv', 'a', 'test.ping')).toBe(64)
    expect(play.err).toContain('--thin and --relenv are mutually exclusive')
  })
})

describe('a refused login', () => {
  test('is the answer where the key is not to be deployed', async () => {
    const play = new Play([[REFUSED]], ['n'])
    expect(await play.call('a', 'test.ping')).toBe(20)
    expect(play.out).toBe('a:\n    Permission denied (publickey).\n')
    expect(play.asked).toEqual([
      'Permission denied for host a, do you want to deploy the salt-ssh key? (password required):\n[Y/n] ',
    ])
  })

  test('is the answer where standard input has ended', async () => {
    const play = new Play([[REFUSED, answer('b')]])
    expect(await play.call('*', 'test.ping')).toBe(20)
    expect(play.out).toBe('a:\n    Permission denied (publickey).\nb:\n    True\n')
    expect(play.installed).toEqual([])
  })

  test('deploys the key and tries again, as a separate job', async () => {
    const play = new Play([[REFUSED], [answer('a')]], ['', 'secret'])
    expect(await play.call('--jid=20240102030405060708', 'a', 'test.ping')).toBe(0)
    expect(play.asked[1]).toBe('Password for deploy@a: ')
    expect(play.installed).toEqual(['a secret'])
    expect(play.out).toBe('a:\n    True\n')
    expect(play.requests[1]!.jid).toBeUndefined()
  })

  test('says why the key could not be deployed', async () => {
    const play = new Play([[REFUSED]], ['y', 'wrong'])
    expect(await play.call('a', 'test.ping')).toBe(20)
    expect(play.err).toBe('[ERROR   ] The key could not be deployed to a: no such password\n')
  })

  test('is not asked with --key-deploy, which uses the known password everywhere', async () => {
    const play = new Play([[REFUSED, answer('b')]], ['y'])
    await play.call('--key-deploy', '--passwd=known', '*', 'test.ping')
    expect(play.asked).toEqual([])
    expect(play.installed).toEqual(['a known', 'b known'])
  })
})

describe('--askpass', () => {
  test('reads a line, with a warning where it may be seen', async () => {
    const play = new Play([[answer('a')]], ['secret'])
    expect(await play.call('--askpass', '--key-deploy', 'a', 'test.ping')).toBe(0)
    expect(play.err).toBe('Warning: Password input may be echoed.\n\n')
    expect(play.asked).toEqual(['Password: '])
    expect(play.installed).toEqual(['a secret'])
  })

  test('fails where standard input has ended', async () => {
    const play = new Play([])
    expect(await play.call('--askpass', 'a', 'test.ping')).toBe(1)
    expect(play.err).toContain('salt-ssh: error: standard input ended before a password came\n')
  })
})

test('returners get the returns, and a missing one is reported', async () => {
  const play = new Play([[answer('a', { shown: 'x' })]])
  expect(await play.call('--return=rawfile_json,nosuch', 'a', 'test.echo', 'x')).toBe(0)
  expect(play.err).toContain('nosuch')
  const kept = JSON.parse(readFileSync(join(folder, 'returns'), 'utf8'))
  expect(kept).toMatchObject({ id: 'a', fun: 'test.echo', fun_args: ['x'], return: 'x', retcode: 0, success: true })
})

test('the log goes to the file of ssh_log_file', async () => {
  const file = join(folder, 'ssh.log')
  await new Play([]).call('--log-file', file, 'a', 'test.ping')
  expect(readFileSync(file, 'utf8')).toContain('No matching targets found in roster.')
})
