import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sshHosts } from '../../test/ssh/ssh-hosts.ts'
import type { Command, Host } from './host.ts'
import { LocalHost } from './local/local-host.ts'

const overSsh = sshHosts()
afterAll(overSsh.stop)

const HOSTS: Array<[string, () => Promise<{ host: Host; close?(): Promise<void> }>]> = [
  ['this machine', async () => ({ host: new LocalHost() })],
  ...overSsh.hosts,
]

let host: Host
const run = async (command: Command) => {
  const result = await host.run(command)
  return { ...result, stdout: Buffer.from(result.stdout).toString(), stderr: Buffer.from(result.stderr).toString() }
}
const shell = (line: string, more: Partial<Command> = {}) => run({ argv: ['/bin/sh', '-c', line], ...more })

describe.each(HOSTS)('a command on %s', (_name, make) => {
  let close: (() => Promise<void>) | undefined
  beforeAll(async () => {
    ;({ host, close } = await make())
  })
  afterAll(() => close?.())

  test('gives its output, apart or merged, and its code', async () => {
    expect(await shell('echo o; echo e >&2; exit 3')).toMatchObject({ stdout: 'o\n', stderr: 'e\n', retcode: 3 })
    expect(await shell('echo o; echo e >&2', { mergeStderr: true })).toMatchObject({ stdout: 'o\ne\n', stderr: '' })
    expect((await shell('kill -9 $$')).retcode).toBe(-9)
  })

  test('may open its own output by name, and gets it in order', async () => {
    const line = 'echo a; echo b > /dev/stdout; echo c >> /dev/stderr; echo d'
    expect(await shell(line, { systemPipes: true })).toMatchObject({ stdout: 'a\nb\nd\n', stderr: 'c\n' })
    expect((await shell('echo a; echo b >&2; echo c', { mergeStderr: true })).stdout).toBe('a\nb\nc\n')
    const many = await Promise.all(
      Array.from({ length: 8 }, (_, i) => shell(`seq ${i} 20000 | tail -1; echo ${i}`, { systemPipes: i % 2 === 0 })),
    )
    expect(many.map(({ stdout }) => stdout)).toEqual(Array.from({ length: 8 }, (_, i) => `20000\n${i}\n`))
  })

  test('gets input, directory, environment and umask', async () => {
    expect((await run({ argv: ['cat'], stdin: 'in' })).stdout).toBe('in')
    expect((await run({ argv: ['pwd'], cwd: '/usr' })).stdout).toBe('/usr\n')
    const env = new Map([['A', '1']])
    expect((await run({ argv: ['/usr/bin/env'], env, cleanEnv: true })).stdout).toBe('A=1\n')
    expect((await shell('umask', { umask: 0o077 })).stdout).toBe('0077\n')
  })

  test('is ended with all it started when its time is over', async () => {
    // both processes keep the output open, so it ends with the last of them: later than this test
    const result = await shell('sleep 900 & sleep 900; echo no', { timeout: 0.2 })
    expect([result.timedOut, result.stdout]).toEqual([true, ''])
  })

  test('gives no more output than allowed', async () => {
    expect(await shell('echo 123456', { maxOutput: 3 })).toMatchObject({ stdout: '123', truncated: true })
  })

  test.each<[Command, string]>([
    [{ argv: ['no-such-program'] }, "[Errno 2] No such file or directory: 'no-such-program'"],
    [{ argv: ['no-such-program'], mergeStderr: true }, "[Errno 2] No such file or directory: 'no-such-program'"],
    [{ argv: ['true'], cwd: '/nowhere' }, "[Errno 2] No such file or directory: '/nowhere'"],
    [{ argv: ['true'], user: 'no-such-user' }, "User 'no-such-user' is not available"],
  ])('that cannot start says why: %j', async (command, message) => {
    await expect(run(command)).rejects.toThrow(message)
  })

  test.runIf(process.geteuid?.() === 0)('runs as another user, with the groups of that user', async () => {
    expect((await run({ argv: ['id', '-un'], user: 'nobody' })).stdout).toBe('nobody\n')
    expect((await run({ argv: ['id', '-G'], user: 'nobody' })).stdout).toBe('65534\n')
  })

  test('can be left running', async () => {
    const pid = await host.start({ argv: ['sleep', '0.1'] })
    expect(pid).toBeGreaterThan(1)
  })
})
