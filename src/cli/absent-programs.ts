// Programs of Salt that Brine does not have yet. Each says so, and what to use instead, so that nobody looks for a mistake in
// the installation.
import { SALT_VERSION } from '../base/mod.ts'
import { processStreams, type Streams } from './streams.ts'

/** By name: what is missing, and what to use instead. */
export const ABSENT_PROGRAMS: Readonly<Record<string, string>> = {
  'salt-extend': 'Brine does not make Salt extensions. Run brine new module NAME for a module of your own instead.',
  'salt-proxy': 'Brine has no proxy minions yet. Manage the device with modules of your own on a minion instead.',
  'salt-support': 'Brine gathers no support archive yet. Run salt-call --versions-report and grains.items instead.',
  'salt-syndic': 'Brine has no syndic yet. Name several masters in the option master of the minions instead.',
  spm: 'Brine has no package manager of its own. Put formulas below a folder of file_roots instead.',
}

/** The service is not available, as sysexits.h has it. */
const EX_UNAVAILABLE = 69

export async function absentProgram(
  name: string,
  argv: readonly string[] = process.argv.slice(2),
  streams: Streams = processStreams,
): Promise<number> {
  const text = `${name}: ${ABSENT_PROGRAMS[name]}\n`
  const asksFor = (...flags: string[]): boolean => argv.some((word) => flags.includes(word))
  if (asksFor('-h', '--help')) streams.out(`Usage: ${name} [-h] [-V] [--version]\n\n${text}`)
  else if (asksFor('--version')) streams.out(`${name} ${SALT_VERSION} (Argon)\n`)
  else if (asksFor('-V', '--versions-report')) return (await import('./versions-report.ts')).printVersions(streams)
  else {
    streams.err(text)
    return EX_UNAVAILABLE
  }
  return 0
}
