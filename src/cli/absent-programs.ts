// Programs of Salt that Brine does not have yet. Each prints that, with an alternative, so that users do not look for
// an error in the installation.
import { SALT_VERSION } from '../base/mod.ts'
import { processStreams, type Streams } from './streams.ts'

/** By name: what is missing, and the alternative. */
export const ABSENT_PROGRAMS: Readonly<Record<string, string>> = {
  'salt-extend': 'Brine does not make Salt extensions. Run brine new module NAME for a module of your own instead.',
  'salt-support': 'Brine gathers no support archive yet. Run salt-call --versions-report and grains.items instead.',
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
