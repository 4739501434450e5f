import { expect, test } from 'vitest'
import { commandOf, isLookingLine, isReadCommand, readOnlyCommand } from './reading-commands.ts'

test.each<[string[], boolean]>([
  [['dpkg-query', '--show', 'x'], true],
  [['/usr/bin/systemctl', '--no-pager', 'is-active', 'ssh'], true],
  [['systemctl', 'restart', 'ssh'], false],
  [['rpm', '-qa'], true],
  [['rpm', '-e', 'x'], false],
  [['hostname', 'new-name'], false],
  [['/bin/sh', '-c', 'id'], true],
  [['/bin/sh', '-c', 'id', 'x'], false],
  [['/bin/sh', '-c', 'make'], false],
])('a command only reads, or may change the target: %j', (argv, reads) => {
  expect(readOnlyCommand({ argv }, new Map()) !== undefined).toBe(reads)
})

test.each([
  'test -f /etc/motd',
  '[ -e /a ] && ! grep -q "some thing" /etc/x 2>/dev/null',
  "grep -q 'a;b $(x)' /etc/x || ls /tmp/*.conf | wc -l",
  'command -v nginx >/dev/null 2>&1',
  'which foo &> /dev/null',
  '[ "a" != "b" ]',
])('a line looks at files only: %s', (line) => {
  expect(isLookingLine(line)).toBe(true)
})

test.each([
  '',
  'echo made > /tmp/x',
  'test -f /a || touch /a',
  'cat /a >/dev/nullx',
  'cat /a >/dev/null/../x',
  'test -f $(touch /tmp/x)',
  'test -f `touch /tmp/x`',
  'grep -q "$(touch /tmp/x)" /a',
  'grep -q "\\$(touch /tmp/x)" /a',
  'test -f /a & rm /a',
  'test -f /a\nrm /a',
  '{ rm /a; }',
  '(rm /a)',
  'command rm /a',
  'x=1 rm /a',
  '"rm" /a',
  'cat < /a',
  'tail -f /var/log/x',
  'tail -n 3 --follow /var/log/x',
  'cat /proc/uptime',
  'test -S /run/x.sock',
  'ls "/var/run"',
  'cat <(rm /a)',
  'echo x >&3 | tee /a',
  'test -f /a; rm /a',
  'test -f /a |& rm /a',
  'cat /a >| /b',
])('a line may change something, or what it looks at changes by itself: %s', (line) => {
  expect(isLookingLine(line)).toBe(false)
})

test('the environment of a read is described by its difference from the login', () => {
  const login = new Map([
    ['HOME', '/root'],
    ['SSH_CLIENT', '192.0.2.1 1 22'],
    ['LANG', 'C'],
  ])
  const env = new Map([
    ['HOME', '/root'],
    ['SSH_CLIENT', '192.0.2.1 1 22'],
    ['LC_TIME', 'C'],
  ])
  const read = readOnlyCommand({ argv: ['id'], env, cleanEnv: true }, login)!
  expect(read).toEqual({ argv: ['id'], env: [['LC_TIME', 'C']], unset: ['LANG'], cleanEnv: true })
  expect(commandOf(read, login)).toEqual({ argv: ['id'], env, cleanEnv: true })
  expect(commandOf(read, new Map(login).set('SSH_CLIENT', 'other')).env?.get('SSH_CLIENT')).toBe('other')
})

test('a line with a time limit is run when it is asked for', () => {
  const argv = ['sh', '-c', 'test -f /a']
  expect(readOnlyCommand({ argv }, new Map())).toBeDefined()
  expect(readOnlyCommand({ argv, timeout: 3 }, new Map())).toBeUndefined()
})

test.each([[null], [{}], [{ argv: 'id' }], [{ argv: ['rm', '/a'] }], [{ argv: ['sh', '-c', 'rm /a'] }]])(
  'data that is no command that reads: %j',
  (data) => {
    expect(isReadCommand(data)).toBe(false)
  },
)
