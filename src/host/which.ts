// Where a program is: the directories of PATH, then the usual ones, as Salt looks.
import type { Host } from './host.ts'

const USUAL = ['/sbin', '/bin', '/usr/sbin', '/usr/bin', '/usr/local/sbin', '/usr/local/bin']

export async function findProgram(
  host: Pick<Host, 'env' | 'stat' | 'access'>,
  program: string,
): Promise<string | undefined> {
  if (program === '' || program.includes('\0')) return undefined
  if (program.includes('/') || program === '.') {
    if (await isExecutable(host, program)) return program
    if (program.startsWith('/')) return undefined
  }
  const variables = await host.env()
  const paths = (variables.get('PATH') ?? '').split(':').map((path) => expand(path, variables))
  for (const path of new Set([...paths, ...USUAL])) {
    const candidate = path === '' ? program : `${path.replace(/\/$/, '')}/${program}`
    if (await isExecutable(host, candidate)) return candidate
  }
  return undefined
}

function expand(path: string, variables: ReadonlyMap<string, string>): string {
  return path.replace(/\$(?:(\w+)|\{([^}]*)\})/g, (whole, bare, braced) => variables.get(bare ?? braced) ?? whole)
}

async function isExecutable(host: Pick<Host, 'stat' | 'access'>, path: string): Promise<boolean> {
  if (!(await host.access(path, 'execute'))) return false
  return (await host.stat(path))?.type === 'file'
}
