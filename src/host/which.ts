// Finds a program in the directories of PATH, then in the usual ones, as Salt does.
import type { Host } from './host.ts'

const USUAL = ['/sbin', '/bin', '/usr/sbin', '/usr/bin', '/usr/local/sbin', '/usr/local/bin']

export async function findProgram(
  host: Pick<Host, 'env' | 'stat' | 'access'>,
  program: string,
): Promise<string | undefined> {
  for (const candidate of programCandidates(program, await host.env())) {
    if (await isExecutable(host, candidate)) return candidate
  }
  return undefined
}

/** Return the paths at which a program may be, in order; it is the first that is a file and can be run. */
export function programCandidates(program: string, variables: ReadonlyMap<string, string>): string[] {
  if (program === '' || program.includes('\0')) return []
  const named = program.includes('/') || program === '.' ? [program] : []
  if (program.startsWith('/')) return named
  const paths = (variables.get('PATH') ?? '').split(':').map((path) => expand(path, variables))
  const candidates = [...paths, ...USUAL].map((path) =>
    path === '' ? program : `${path.replace(/\/$/, '')}/${program}`,
  )
  return [...new Set([...named, ...candidates])]
}

function expand(path: string, variables: ReadonlyMap<string, string>): string {
  return path.replace(/\$(?:(\w+)|\{([^}]*)\})/g, (whole, bare, braced) => variables.get(bare ?? braced) ?? whole)
}

async function isExecutable(host: Pick<Host, 'stat' | 'access'>, path: string): Promise<boolean> {
  if (!(await host.access(path, 'execute'))) return false
  return (await host.stat(path))?.type === 'file'
}
