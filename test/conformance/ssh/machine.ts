// The target machine: this one, seen through a private mount namespace with its own accounts, home directories and sshd.
// Everything here runs inside that namespace, and nothing of the machine itself changes.
import { execFileSync, spawn } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createConnection } from 'node:net'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { until } from '../../until.ts'

/** The hash of `s3cret-pw`, as shadow has it. */
const PASSWORD =
  '$6$brineconformance$a1VK7Pwf19xAoEWTCt0ms44D5IDhUv9/7NOqVKfciR2g7tUXoksdXnJd9Du8H7Hz3nGSjo13UDAnhJ3qeyd5O1'

/** The accounts beside root; ops is in the group of deploy. */
const ACCOUNTS = [
  { name: 'deploy', id: 61_901, sudo: 'NOPASSWD: ALL' },
  { name: 'ops', id: 61_902, sudo: 'ALL' },
]

/** Where Salt puts its deployments on targets. */
export const THINS = '/var/tmp'

export const homeOf = (scratch: string, user: string): string => join(scratch, 'home', user)

/** Lay a private /etc with the accounts over the machine's, and empty directories over those that programs write to. */
export function privateMachine(scratch: string): void {
  const etc = join(scratch, 'etc')
  execFileSync('cp', ['-a', '/etc', etc])
  writeAccounts(etc, scratch)
  writeFileSync(join(etc, 'nsswitch.conf'), 'passwd: files\ngroup: files\nshadow: files\nhosts: files\n')
  writeFileSync(join(etc, 'hosts'), `127.0.0.1 localhost\n127.0.1.1 ${hostname()}\n`)
  writeSudo(etc)
  execFileSync('mount', ['--bind', etc, '/etc'])
  for (const directory of ['/run', THINS]) {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'mode=1777', 'tmpfs', directory])
  }
  mkdirSync('/run/sshd', { mode: 0o755 })
}

function writeAccounts(etc: string, scratch: string): void {
  const names = ['root', ...ACCOUNTS.map(({ name }) => name)]
  const others = (file: string): string[] =>
    readFileSync(join(etc, file), 'utf8')
      .split('\n')
      .filter((line) => line !== '' && !names.includes(line.split(':')[0]!))
  const passwd = [
    `root:x:0:0:root:${homeOf(scratch, 'root')}:/bin/bash`,
    ...ACCOUNTS.map(({ name, id }) => `${name}:x:${id}:${id}:${name}:${homeOf(scratch, name)}:/bin/sh`),
  ]
  if (!others('passwd').some((line) => line.startsWith('sshd:')))
    passwd.push('sshd:x:61900:65534::/run/sshd:/bin/false')
  const shadow = ['root:*:19000:0:99999:7:::', ...ACCOUNTS.map(({ name }) => `${name}:${PASSWORD}:19000:0:99999:7:::`)]
  const group = ['root:x:0:', ...ACCOUNTS.map(({ name, id }) => `${name}:x:${id}:${name === 'deploy' ? 'ops' : ''}`)]
  for (const [file, lines] of Object.entries({ passwd, shadow, group })) {
    writeFileSync(join(etc, file), `${[...lines, ...others(file)].join('\n')}\n`)
  }
  mkdirSync(join(scratch, 'home'), { mode: 0o755 })
  for (const { name, id } of [{ name: 'root', id: 0 }, ...ACCOUNTS]) {
    mkdirSync(homeOf(scratch, name), { mode: name === 'root' ? 0o700 : 0o755 })
    chownSync(homeOf(scratch, name), id, id)
  }
}

function writeSudo(etc: string): void {
  const rules = ACCOUNTS.map(({ name, sudo }) => `${name} ALL=(ALL:ALL) ${sudo}`)
  const defaults = [
    'Defaults env_reset',
    'Defaults secure_path="/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"',
  ]
  writeFileSync(join(etc, 'sudoers'), `${[...defaults, 'root ALL=(ALL:ALL) ALL', ...rules].join('\n')}\n`)
  chmodSync(join(etc, 'sudoers'), 0o440)
  mkdirSync(join(etc, 'pam.d'), { recursive: true })
  const pam = ['auth required pam_unix.so', 'account required pam_unix.so', 'session required pam_permit.so']
  writeFileSync(join(etc, 'pam.d/sudo'), `${pam.join('\n')}\n`)
}

/** Start the sshd and wait until it listens. */
export async function startSshd(scratch: string, keys: string, port: number): Promise<void> {
  const config = join(scratch, 'sshd_config')
  const options = {
    Port: port,
    ListenAddress: '127.0.0.1',
    HostKey: join(keys, 'host'),
    PidFile: 'none',
    AuthorizedKeysFile: join(keys, 'authorized_keys'),
    StrictModes: 'no',
    PermitRootLogin: 'yes',
    PasswordAuthentication: 'yes',
    KbdInteractiveAuthentication: 'no',
    UsePAM: 'no',
    UseDNS: 'no',
    MaxStartups: 100,
    MaxSessions: 100,
    AcceptEnv: 'RSSH_*',
    Subsystem: 'sftp internal-sftp',
  }
  writeFileSync(
    config,
    `${Object.entries(options)
      .map((words) => words.join(' '))
      .join('\n')}\n`,
  )
  const sshd = spawn('/usr/sbin/sshd', ['-D', '-e', '-f', config], { stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  sshd.stderr.on('data', (text: Buffer) => {
    said = (said + text).slice(-4000)
  })
  await until('sshd listens', () => {
    if (sshd.exitCode !== null) throw new Error(`sshd ended with ${sshd.exitCode}: ${said}`)
    return listens(port)
  })
  sshd.unref()
}

const listens = (port: number): Promise<boolean> =>
  new Promise((done) => {
    const socket = createConnection({ port, host: '127.0.0.1' })
    socket.once('connect', () => {
      socket.destroy()
      done(true)
    })
    socket.once('error', () => done(false))
  })
