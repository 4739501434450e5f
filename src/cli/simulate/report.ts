// The output of `brine simulate`: a line while it runs, a line when all minions have signed in, and a summary.
import type { FleetProgress, FleetReport } from '../../simulate/mod.ts'

const MIB = 1 << 20

const sum = (counts: ReadonlyMap<string, number>): number => [...counts.values()].reduce((all, one) => all + one, 0)

export function progressText(progress: FleetProgress, count: number): string {
  const parts = [`${progress.connected} of ${count} connected`]
  if (progress.pending > 0) parts.push(`${progress.pending} keys not accepted`)
  if (progress.connected === 0 && progress.unanswered > 0) parts.push('the master does not answer')
  if (sum(progress.refused) > 0) parts.push(`${sum(progress.refused)} refused`)
  if (progress.jobs > 0) parts.push(`${progress.jobs} jobs, ${progress.returns} returns`)
  if (progress.events > 0) parts.push(`${progress.events} events`)
  return parts.join(', ')
}

export function readyText({ connected, signInSeconds, signInsPerSecond }: FleetReport): string {
  const pace = `${signInSeconds.toFixed(1)} s (${signInsPerSecond.toFixed(0)} a second)`
  return `${connected} minions signed in within ${pace}. Press Ctrl-C to end\n`
}

/** Return which minions the master refused, and the remedy. */
export function refusalText({ refused }: FleetReport): string {
  const lines = [...refused].map(([status, count]) => `${count} minions were refused by the master: ${status}\n`)
  const advice =
    'The master may know these ids with other keys: name the --pki-dir of that run, choose another --prefix, or delete the keys with salt-key -d\n'
  return lines.length === 0 ? '' : `${lines.join('')}${advice}`
}

export function fleetSummary(report: FleetReport, wallS: number): string {
  const { user, system } = process.cpuUsage()
  const rows: [string, number | string][] = [
    ['minions', `${report.connected} of ${report.minions} signed in`],
    ['time', `${wallS.toFixed(1)} s, of which ${report.signInSeconds.toFixed(1)} s to sign in`],
    ['jobs', report.jobs],
    ['returns', report.returns],
    ['failed returns', report.failed],
    ['jobs not answered', report.silent],
    ['late returns', report.late],
    ['returns sent twice', report.twice],
    ['returns sent again', report.resent],
    ['files fetched', report.files],
    ['MiB of files', Math.round(report.fileBytes / MIB)],
    ['runs without files', report.unserved],
    ['reconnects', report.reconnects],
    ['events', report.events],
    ['events lost', report.lostEvents],
    ['keys not accepted', report.pending],
    ['refused', sum(report.refused)],
    [
      'this process',
      `${((user + system) / 1e6).toFixed(1)} s of CPU, ${(process.memoryUsage.rss() / MIB).toFixed(0)} MiB`,
    ],
  ]
  const always = new Set(['jobs', 'returns'])
  return rows
    .filter(([name, value]) => value !== 0 || always.has(name))
    .map(([name, value]) => `${`${name}:`.padEnd(20)}${value}\n`)
    .join('')
}

/** One JSON line for programs. */
export function reportLine(event: 'ready' | 'end', report: FleetReport): string {
  const { masterKey: _, refused, ...counts } = report
  const { user, system } = process.cpuUsage()
  const own = { cpu_s: (user + system) / 1e6, rss_mib: process.memoryUsage.rss() / MIB }
  const named = Object.entries({ ...counts, ...own, refused: Object.fromEntries(refused) }).map(([name, value]) => [
    name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    value,
  ])
  return `${JSON.stringify({ event, ...Object.fromEntries(named) })}\n`
}
