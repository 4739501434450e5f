import { describe, expect, test } from 'vitest'
import { type Dict, repr, type Value } from '../../../data/mod.ts'
import { MemoryHost, type ScriptedCommand } from '../../../host/mod.ts'
import { type Trial, tryFunction } from '../../../sdk/mod.ts'
import cmd from './module.ts'

const echo: ScriptedCommand = ({ argv, stdin, mergeStderr }) => ({
  stdout: `${argv.join('|')}${stdin === undefined ? '' : Buffer.from(stdin).toString()} \n`,
  stderr: mergeStderr ? '' : 'err\n',
  retcode: argv.includes('fail') ? 3 : 0,
})

const machine = (commands: readonly ScriptedCommand[] = [echo]) =>
  MemoryHost.with({
    files: { '/bin/sh': { mode: 0o755 }, '/bin/bash': { mode: 0o755 }, '/root/': '', '/etc/shells': '# a\n/bin/sh\n' },
    env: { HOME: '/root', SHELL: '/bin/bash', NOTIFY_SOCKET: 'x' },
    commands,
  })

async function run(name: string, args: Value[], kwargs: Record<string, Value> = {}, more: Partial<Trial> = {}) {
  const host = (more.host as MemoryHost | undefined) ?? (await machine())
  return { answer: await tryFunction(cmd, name, { args, kwargs, ...more, host }), host }
}

describe('cmd', () => {
  test.each<[string, Value, Record<string, Value>, string]>([
    ['run', "echo 'a b' c", {}, 'echo|a b|c'],
    ['run', "echo 'a b'", { python_shell: true }, "/bin/bash|-c|echo 'a b'"],
    ['run', ['echo', 1], {}, 'echo|1'],
    ['run', 'echo x', { __pub_jid: '1' }, '/bin/bash|-c|echo x'],
    ['shell', 'echo x', { shell: '/bin/sh' }, '/bin/sh|-c|echo x'],
    ['run', 'cat', { stdin: 'a\\nb' }, 'cata\nb'],
    ['run_stderr', 'x', {}, 'err'],
    ['run_stdout', 'x', { rstrip: false }, 'x \n'],
    ['run', 'x', { hide_output: true }, ''],
  ])('.%s(%j, %j)', async (name, command, kwargs, wanted) => {
    expect((await run(name, [command], kwargs)).answer).toBe(wanted)
  })

  test('runs in the home of the user, in English, and not as a service', async () => {
    const { host } = await run('run', ['x'], { env: [new Map<Value, Value>([['A', 1]])], umask: '077' })
    const [command] = host.history
    expect([command?.cwd, command?.umask]).toEqual(['/root', 0o077])
    expect([command?.env?.get('A'), command?.env?.get('LC_TIME'), command?.env?.has('NOTIFY_SOCKET')]).toEqual([
      '1',
      'C',
      false,
    ])
  })

  test('keeps the code of the last command, unless it is ignored or counts as success', async () => {
    const memory: Dict = new Map()
    await run('run', ['fail'], {}, { context: { memory } })
    expect(memory.get('retcode')).toBe(3)
    await run('run', ['fail'], { ignore_retcode: true }, { context: { memory } })
    expect(memory.get('retcode')).toBe(0)
    expect((await run('retcode', ['fail'], { success_retcodes: '3, 4' })).answer).toBe(0)
    expect((await run('retcode', ['fail'], { success_stdout: ['fai'] })).answer).toBe(0)
    expect(repr((await run('run_all', ['fail'])).answer)).toBe(
      "{'pid': 100, 'retcode': 3, 'stdout': 'fail', 'stderr': 'err'}",
    )
  })

  test('says when the time of a command was over', async () => {
    const host = await machine([() => ({ timedOut: true })])
    const { answer } = await run('run_all', ['sleep 9'], { timeout: 2 }, { host })
    expect((answer as Dict).get('stdout')).toBe("['sleep', '9'] : Timed out after 2 seconds")
  })

  test.each<[Value, Record<string, Value>, string]>([
    ['x', { cwd: '/nowhere' }, "Specified cwd '/nowhere' either not absolute or does not exist"],
    ['x', { runas: 'nobody' }, "User 'nobody' is not available"],
    ['x', { shell: '/bin/nosh' }, 'The shell /bin/nosh is not available'],
    ['x', { env: ['A=1'] }, 'illegal environment variable name'],
    ['x', { umask: '0' }, 'Zero umask is not allowed.'],
    ['x', { umask: '99' }, "Invalid umask: '99'"],
    ['x', { success_retcodes: 'a' }, 'success_retcodes must be a list of integers'],
    ['x', { template: 'none' }, 'Attempted to render file paths with unavailable engine none'],
    ["it's", {}, 'No closing quotation'],
    ['fail', { raise_err: true }, 'fail'],
    ['', {}, 'list index out of range'],
  ])('refuses to run %j with %j', async (command, kwargs, message) => {
    await expect(run('run', [command], kwargs)).rejects.toThrow(message)
  })

  test('refuses operators that the lists forbid', async () => {
    const opts: Dict = new Map<Value, Value>([['cmd_blacklist_glob', ['rm *']]])
    await expect(run('run', ['rm -rf /'], { __pub_jid: '1' }, { opts })).rejects.toThrow(
      'The shell command "rm -rf /" is not permitted',
    )
    expect((await run('run', ['rm x'], {}, { opts })).answer).toBe('rm|x')
  })

  test('runs scripts from a file that it removes', async () => {
    const host = await machine()
    await host.write('/cached.sh', 'echo')
    const others = { 'cp.cache_file': () => '/cached.sh' }
    const { answer } = await run('script', ['salt://a.sh', 'one two'], {}, { host, others })
    expect((answer as Dict).get('stdout')).toMatch(/^\/tmp\/__salt\.tmp\.\w+\.sh\|one\|two$/)
    expect(await host.list('/tmp')).toEqual([])
    const missing = await run('script', ['salt://no.sh'], {}, { others: { 'cp.cache_file': () => false } })
    expect((missing.answer as Dict).get('cache_error')).toBe(true)
  })

  test('knows shells and programs', async () => {
    expect((await run('shells', [])).answer).toEqual(['/bin/sh'])
    expect((await run('which_bin', [['nosh', 'sh']])).answer).toBe('/bin/sh')
    const host = await machine([() => 'GNU bash, version 5.2.15(1)-release'])
    expect(repr((await run('shell_info', ['bash'], {}, { host })).answer)).toContain("'version': '5.2.15'")
    expect(repr((await run('shell_info', ['fish'])).answer)).toContain('does not know how')
  })
})

describe('PowerShell', () => {
  const HOW = '-NonInteractive|-NoProfile|-ExecutionPolicy|Bypass'
  const answering = (stdout: string, stderr = '') =>
    MemoryHost.with({
      files: { '/usr/bin/pwsh': { mode: 0o755 }, '/root/': '' },
      env: { HOME: '/root', PATH: '/usr/bin' },
      commands: [() => ({ stdout, stderr, retcode: 0 })],
    })

  test.each<[string, string, Record<string, Value>, string]>([
    ['powershell', '{"a": 1}\n', {}, "{'a': 1}"],
    ['powershell', '5', {}, "'5'"],
    ['powershell', '', {}, "''"],
    ['powershell', '[1, ', {}, '{}'],
    ['powershell_all', '{"a": 1}', {}, "{'pid': 100, 'retcode': 0, 'stderr': '', 'result': {'a': 1}}"],
    [
      'powershell_all',
      '{"a": 1}',
      { force_list: true },
      "{'pid': 100, 'retcode': 0, 'stderr': '', 'result': [{'a': 1}]}",
    ],
    ['powershell_all', '', {}, "{'pid': 100, 'retcode': 0, 'stderr': ''}"],
    ['powershell_all', '', { force_list: true }, "{'pid': 100, 'retcode': 0, 'stderr': '', 'result': []}"],
  ])('.%s reads %j with %j', async (name, stdout, kwargs, shown) => {
    const { answer } = await run(name, ['Get-Date'], kwargs, { host: await answering(stdout) })
    expect(repr(answer)).toBe(shown)
  })

  test('runs the command in a try block, as text or encoded', async () => {
    const host = await answering('1')
    await run('powershell', ['Get-Date'], { depth: 4, shell: 'pwsh' }, { host })
    await run('powershell', [['Get-Date', '-x']], { encode_cmd: true }, { host })
    await run('powershell_all', ['Get-Date'], {}, { host })
    const lines = host.history.map(({ argv }) => argv.join('|'))
    const text = "$ProgressPreference='SilentlyContinue'; try { Get-Date -x | ConvertTo-JSON } catch { Write-Error $_ }"
    expect(lines).toEqual([
      `/usr/bin/pwsh|${HOW}|-Command|try { Get-Date | ConvertTo-JSON -Depth 4 } catch { Write-Error $_ }`,
      `/usr/bin/pwsh|${HOW}|-EncodedCommand|${Buffer.from(text, 'utf16le').toString('base64')}`,
      `/usr/bin/pwsh|${HOW}|-Command|Get-Date | ConvertTo-JSON`,
    ])
  })

  test('is refused if it is not, and an invalid answer is an error', async () => {
    await expect(run('powershell', ['x'])).rejects.toThrow("neither 'powershell' nor 'pwsh' is in the PATH")
    await expect(run('powershell', ['x'], { shell: 'bash' })).rejects.toThrow('Must specify a valid powershell binary')
    const broken = run('powershell_all', ['x'], {}, { host: await answering('{"a":', 'no') })
    await expect(broken).rejects.toThrow('cmd.powershell_all cannot parse the Powershell output.')
  })
})
