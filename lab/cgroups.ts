// A control group for each host. Without one, hosts started from the same place share a group, and the systemd of one
// counts and kills the processes of another. The group also knows every process of a host, which a crash leaves behind.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync } from 'node:fs'
import { join } from 'node:path'
import { isLeftover, OWN_NAME } from './owner.ts'

const MOUNT = '/sys/fs/cgroup'

/** The hierarchies in which systemd keeps its units: one on a current machine, two where both generations are mounted. */
function hierarchies(): string[] {
  const mixed = ['systemd', 'unified'].map((name) => join(MOUNT, name)).filter((path) => existsSync(path))
  return mixed.length > 0 ? mixed : [MOUNT]
}

/** The command that runs `argv` in the group of a host. */
export function inGroup(host: string, argv: string[]): string[] {
  const groups = hierarchies().map((hierarchy) => join(hierarchy, OWN_NAME, host))
  for (const group of groups) mkdirSync(group, { recursive: true })
  const join_ = groups.map((group) => `echo $$ > '${group}/cgroup.procs'`)
  return ['sh', '-c', [...join_, 'exec "$@"'].join(' && '), 'sh', ...argv]
}

/** Kills everything that is left in a host's group, or in all of this lab's. */
export async function emptyGroup(host?: string): Promise<void> {
  for (const hierarchy of hierarchies()) await empty(join(hierarchy, OWN_NAME, host ?? ''))
}

/** Kills the hosts of labs that are gone. */
export async function emptyLeftoverGroups(): Promise<void> {
  for (const hierarchy of hierarchies()) {
    for (const name of readdirSync(hierarchy)) if (isLeftover(name)) await empty(join(hierarchy, name))
  }
}

async function empty(group: string): Promise<void> {
  for (let tries = 0; existsSync(group); tries++) {
    const folders = [group, ...subgroups(group)]
    for (const pid of folders.flatMap(processes)) kill(pid)
    try {
      for (const folder of folders.reverse()) rmdirSync(folder)
    } catch (error) {
      // the last processes take a moment to leave
      if (tries === 1200) throw error
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
}

const subgroups = (group: string): string[] =>
  readdirSync(group, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()

function processes(group: string): number[] {
  const listed = readFileSync(join(group, 'cgroup.procs'), 'utf8').split('\n').filter(Boolean).map(Number)
  // 0 is a process that cannot be seen from here
  return listed.filter((pid) => pid > 0 && pid !== process.pid)
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
