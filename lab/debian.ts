// Which Debian the hosts are and where it is fetched from: the same release as this machine when it is Debian too, since
// hosts run this machine's Node, and from the mirror that this machine's apt uses.
import { readFileSync } from 'node:fs'
import { attempt } from './command.ts'

export interface Debian {
  suite: string
  mirror: string
  architecture: string
}

const FALLBACK: Debian = { suite: 'bookworm', mirror: 'http://deb.debian.org/debian', architecture: 'amd64' }

export async function debian(): Promise<Debian> {
  const architecture = (await attempt(['dpkg', '--print-architecture'])).stdout.trim() || FALLBACK.architecture
  const suite = suiteOf(readFileSync('/etc/os-release', 'utf8'))
  if (suite === undefined) return { ...FALLBACK, architecture }
  const format = ['--format', '$(SITE) $(CODENAME) $(ORIGIN) $(COMPONENT)']
  const { stdout } = await attempt(['apt-get', 'indextargets', ...format, 'Created-By: Packages'])
  return { suite, mirror: mirrorOf(stdout, suite) ?? FALLBACK.mirror, architecture }
}

/** Debian's code name in the text of /etc/os-release; undefined for other systems. */
export function suiteOf(osRelease: string): string | undefined {
  const field = (name: string) => new RegExp(`^${name}="?([^"\\n]*)`, 'm').exec(osRelease)?.[1]
  return field('ID') === 'debian' ? field('VERSION_CODENAME') : undefined
}

/** The site of the suite among lines `site codename origin component`. */
export function mirrorOf(targets: string, suite: string): string | undefined {
  const rows = targets.split('\n').map((line) => line.split(' '))
  return rows.find(([, codename, origin, component]) => {
    return codename === suite && origin === 'Debian' && component === 'main'
  })?.[0]
}

/** What keeps this machine from fetching packages. */
export async function mirrorTrouble({ mirror, suite }: Debian): Promise<string | undefined> {
  const address = `${mirror}/dists/${suite}/Release`
  const { code } = await attempt(['wget', '--quiet', '--spider', '--tries=1', '--timeout=20', address])
  return code === 0 ? undefined : `${address} cannot be fetched`
}
