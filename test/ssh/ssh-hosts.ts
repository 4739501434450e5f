// Hosts over SSH to this very machine, one for each kind of shell and tools: what must behave as this machine itself.
import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { silentLog } from '../../src/base/mod.ts'
import { type Host, SshHost } from '../../src/host/mod.ts'
import { noSshd, startSshd, type TestSshd } from './sshd.ts'

export interface HostUnderTest {
  host: Host
  /** A directory to write in. */
  dir: string
  close(): Promise<void>
}

/** A shell of this machine, and where its tools are. */
interface Kind {
  name: string
  shell: string
  /** Prepare the shell in a folder. */
  prepare?(folder: string): void
  path?: string
}

const BUSYBOX = '/bin/busybox'

const KINDS: Kind[] = [
  { name: 'dash', shell: '/bin/dash' },
  { name: 'bash', shell: '/bin/bash' },
  { name: 'busybox', shell: BUSYBOX, prepare: linkApplets },
]

/** Every applet; `su` is not one of all builds, because it needs more rights than the others. */
function linkApplets(folder: string): void {
  const applets = execFileSync(BUSYBOX, ['--list'], { encoding: 'utf8' }).trim().split('\n')
  for (const applet of applets) symlinkSync(BUSYBOX, join(folder, applet))
  if (!applets.includes('su')) symlinkSync('/bin/su', join(folder, 'su'))
}

async function open(sshd: TestSshd, { shell, prepare }: Kind): Promise<HostUnderTest> {
  const folder = mkdtempSync(join(tmpdir(), 'host-'))
  const [tools, dir] = [join(folder, 'bin'), join(folder, 'work')]
  // commands run as other users too
  chmodSync(folder, 0o755)
  mkdirSync(tools)
  mkdirSync(dir)
  prepare?.(tools)
  const target = prepare ? { ...sshd.target, path: tools } : sshd.target
  const words = prepare ? join(tools, 'sh') : shell
  const host = await SshHost.open(target, { log: silentLog, runtimeDir: sshd.runtimeDir, shell: words })
  return {
    host,
    dir,
    async close() {
      await host.close()
      rmSync(folder, { recursive: true })
    },
  }
}

/** The hosts, over one server; `stop` ends the server. Empty where no server is installed. */
export function sshHosts(): { hosts: Array<[string, () => Promise<HostUnderTest>]>; stop: () => Promise<void> } {
  if (noSshd !== undefined) {
    console.log(`Hosts over SSH are not tested: ${noSshd}`)
    return { hosts: [], stop: async () => {} }
  }
  let sshd: Promise<TestSshd> | undefined
  const server = (): Promise<TestSshd> => {
    sshd ??= startSshd()
    return sshd
  }
  return {
    hosts: KINDS.filter(({ shell }) => existsSync(shell)).map((kind) => [
      `a machine over SSH with ${kind.name}`,
      async () => open(await server(), kind),
    ]),
    stop: async () => (await sshd)?.stop(),
  }
}
