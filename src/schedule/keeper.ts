// The storage of a schedule: jobs in `minion.d/_schedule.conf` beside the configuration, as in Salt, and the times of
// their next runs in the cache.
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Log, PRIVATE_FILE, toError } from '../base/mod.ts'
import { option } from '../config/mod.ts'
import { type Dict, str } from '../data/mod.ts'
import { dumpYaml } from '../sdk/mod.ts'
import type { ScheduleKeeper } from './schedule.ts'

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true })
  rmSync(`${file}.new`, { force: true })
  writeFileSync(`${file}.new`, text, { mode: PRIVATE_FILE })
  renameSync(`${file}.new`, file)
}

function scheduleFile(opts: Dict): string {
  const folder = opts.get('conf_dir') ?? dirname(option(opts, 'conf_file'))
  return join(str(folder), dirname(option(opts, 'default_include')), '_schedule.conf')
}

export function diskKeeper(opts: Dict, log: Log): ScheduleKeeper {
  const times = join(option(opts, 'cachedir'), 'schedule.json')
  const complain = (what: string) => (error: unknown) => log('error', `${what}: ${toError(error).message}`)
  let last: Promise<void> = Promise.resolve()
  return {
    save: (jobs) => {
      const failed = complain('Failed to persist the updated schedule')
      last = last
        .then(async () => write(scheduleFile(opts), await dumpYaml(new Map([['schedule', jobs]]))))
        .catch(failed)
    },
    remembered: () => {
      try {
        return new Map(JSON.parse(readFileSync(times, 'utf8')) as Array<[string, number]>)
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT') complain('The times of scheduled jobs were lost')(error)
        return new Map()
      }
    },
    remember: (next) => {
      try {
        write(times, JSON.stringify([...next]))
      } catch (error) {
        complain('The times of scheduled jobs could not be kept')(error)
      }
    },
  }
}
