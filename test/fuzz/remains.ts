// Checks after the attacks: memory, descriptors, the log, files, minions that still work.
import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { holds } from '../faults/holds.ts'
import { until } from '../until.ts'
import { CANARY, SECRET_FILE } from './mutate.ts'
import type { FuzzSite } from './site.ts'

/** How much a process may grow between the first siege and the end of the attacks. */
const MOST_GROWTH_MIB = 200
const MOST_DESCRIPTORS = 20
const SECONDS = 60

/** Log lines are for operators: a limit of bytes, plus some for each message. */
const MOST_LOG_BYTES = 2 << 20
const MOST_LOG_PER_MESSAGE = 200
/** Longer lines are cut by the log itself. */
const LONGEST_LINE = 20_100

/** Return files of the master that others can read or change, although its umask should prevent that. */
function openToOthers(folder: string, isHidden = false): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    const { mode } = lstatSync(path)
    if (entry.isSymbolicLink() || isHidden) return []
    if (entry.isDirectory()) {
      const isOpen = (mode & 0o002) !== 0 ? [`others can write to ${path}`] : []
      return [...isOpen, ...openToOthers(path, (mode & 0o007) === 0)]
    }
    const forbidden = /\.pub$|\/(log|run)\/|\/master$|\/autosign$|minions(_\w+)?\/[^/]+$/.test(path) ? 0o002 : 0o006
    return (mode & forbidden) === 0 ? [] : [`${path} has mode ${(mode & 0o777).toString(8)}`]
  })
}

/** Wait for a condition; throw with the reason if it does not occur. */
async function within(what: string, holds: () => boolean | Promise<boolean>, why: () => string): Promise<string[]> {
  try {
    await until(what, holds, SECONDS)
    return []
  } catch {
    return [why()]
  }
}

export class Remains {
  private readonly site: FuzzSite
  private readonly root: string[]
  private readonly pid: number
  private readonly before: { memoryMiB: number; descriptors: number }

  /** Record the state of a site before the attacks. */
  constructor(site: FuzzSite) {
    this.site = site
    this.root = readdirSync(site.cluster.root)
    this.pid = site.cluster.pidOf('master')
    this.before = holds(this.pid)
  }

  async problems(messages: number): Promise<string[]> {
    const { site, before } = this
    const pid = site.cluster.pidOf('master')
    const now = (): { memoryMiB: number; descriptors: number } => holds(pid)
    const isBack = async (): Promise<boolean> => {
      const { memoryMiB, descriptors } = now()
      if (memoryMiB <= before.memoryMiB + MOST_GROWTH_MIB && descriptors <= before.descriptors + MOST_DESCRIPTORS)
        return true
      // a process that has nothing to do does not look for memory that it no longer needs
      await this.site.cluster.run("salt -t 5 '*' test.ping")
      return false
    }
    const grown = (): string =>
      `the master grew by ${(now().memoryMiB - before.memoryMiB).toFixed()} MiB and ${now().descriptors - before.descriptors} descriptors`
    return [
      ...(await within('the master lets go', isBack, grown)),
      ...(await this.minions()),
      ...this.log(messages),
      ...this.files(),
      ...openToOthers(join(site.cluster.root, 'master')),
    ]
  }

  private async minions(): Promise<string[]> {
    const answers = async (id: string): Promise<boolean> =>
      (await this.site.cluster.run(`salt -t 5 ${id} test.ping`)).stdout.includes('True')
    const problems: string[] = []
    for (const id of ['db1', 'web1'])
      problems.push(
        ...(await within(
          `${id} answers`,
          () => answers(id),
          () => `${id} does not serve any more`,
        )),
      )
    return problems
  }

  private log(messages: number): string[] {
    const text = this.site.cluster.log('master')
    const long = text.split('\n').filter((line) => line.length > LONGEST_LINE)
    return [
      ...(text.length > MOST_LOG_BYTES + messages * MOST_LOG_PER_MESSAGE ? [`the log has ${text.length} bytes`] : []),
      ...long.slice(0, 3).map((line) => `the log has a line of ${line.length} characters: ${line.slice(0, 150)}`),
      ...(/^\[CRITICAL\] forged/m.test(text) ? ['the log has a forged line'] : []),
    ]
  }

  private files(): string[] {
    const others = readdirSync(this.site.cluster.root).filter((name) => !this.root.includes(name))
    const isWhole = existsSync(SECRET_FILE) && readFileSync(SECRET_FILE, 'utf8') === `${CANARY}\n`
    const polluted = Object.keys(Object.prototype)
    return [
      ...others.map((name) => `a file appeared outside: ${name}`),
      ...(isWhole ? [] : ['a file outside was changed']),
      ...polluted.map((name) => `Object.prototype has ${name}`),
    ]
  }
}
