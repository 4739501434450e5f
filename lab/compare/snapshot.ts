// What a host has become: its files with their contents, owners and modes, its packages and its services, each as a
// mapping from a name to one line, so that two hosts are compared line by line.
import { createHash } from 'node:crypto'
import { type Dirent, lstatSync, readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Host } from '../host.ts'

/** Kind of thing → its name → all that matters about it. */
export type Snapshot = Record<'files' | 'packages' | 'services', Map<string, string>>

/** What differs between two hosts that were treated alike: state of the running system, logs, caches, random keys. */
const NOT_COMPARED = new RegExp(
  [
    '^/(dev|proc|run|sys|tmp|opt/brine|opt/salt|srv/formulas|etc/salt|root/\\.cache)(/|$)',
    // what packages bring is told by their names and versions
    '^/usr/(?!local(/|$)|share/keyrings(/|$))',
    '^/var/(backups|cache|log|tmp|lib/apt|lib/dpkg|lib/systemd|lib/private|lib/postgresql/[^/]+/[^/]+)(/|$)',
    '^/etc/(machine-id|ld\\.so\\.cache|\\.pwd\\.lock|hosts|hostname)$',
    '^/etc/ssl/(certs|private)/',
    '^/etc/ssh/ssh_host_',
    '/__pycache__(/|$)',
    '^/var/lib/(dbus|logrotate|sudo|ucf|pam|update-rc\\.d)(/|$)',
  ].join('|'),
)

/** What chance or the clock wrote into a file that is compared otherwise: when a crontab was put there, salts. */
const CHANCE: [path: RegExp, text: RegExp][] = [
  [/^\/var\/spool\/cron\//, /^# \(.* installed on .*$/gm],
  [/\/known_hosts$/, /^\|1\|[^ ]*/gm],
]

export async function snapshot(host: Host): Promise<Snapshot> {
  return { files: filesOf(host.path('/')), packages: await packagesOf(host), services: await servicesOf(host) }
}

function filesOf(root: string): Map<string, string> {
  const files = new Map<string, string>()
  const { dev } = statSync(root)
  const visit = (folder: string) => {
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
      const path = join(folder, entry.name)
      if (NOT_COMPARED.test(path)) continue
      const stats = lstatSync(join(root, path))
      if (stats.dev !== dev) continue
      files.set(path, `${describe(root, path, entry)} ${stats.uid}:${stats.gid} ${octal(stats.mode)}`)
      if (entry.isDirectory()) visit(path)
    }
  }
  visit('/')
  if (files.size === 0) throw new Error(`${root}: no files to compare`)
  return files
}

const octal = (mode: number): string => (mode & 0o7777).toString(8).padStart(4, '0')

function describe(root: string, path: string, entry: Dirent): string {
  const full = join(root, path)
  if (entry.isSymbolicLink()) return `link to ${readlinkSync(full)}`
  if (entry.isDirectory()) return 'directory'
  if (!entry.isFile()) return 'special'
  const chance = CHANCE.find(([pattern]) => pattern.test(path))?.[1]
  const content = chance ? readFileSync(full, 'utf8').replaceAll(chance, '') : readFileSync(full)
  return `file ${content.length} ${createHash('sha256').update(content).digest('hex').slice(0, 16)}`
}

async function packagesOf(host: Host): Promise<Map<string, string>> {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: dpkg's own notation
  const format = '${Package}\t${Version} ${db:Status-Want} ${db:Status-Status}\n'
  return table(await host.run(['dpkg-query', '--show', `--showformat=${format}`]))
}

async function servicesOf(host: Host): Promise<Map<string, string>> {
  const plain = ['--type=service', '--all', '--no-legend', '--plain', '--no-pager']
  const units = await host.run(['systemctl', 'list-units', ...plain])
  const files = await host.run(['systemctl', 'list-unit-files', ...plain])
  const states = units.split('\n').map((line) => line.trim().split(/\s+/))
  const rows = states.map(([name, , active, sub]) => `${name}\t${active} ${sub}`)
  const enabled = files.split('\n').map((line) => line.trim().split(/\s+/))
  return table([...rows, ...enabled.map(([name, state]) => `${name} at boot\t${state}`)].join('\n'))
}

function table(text: string): Map<string, string> {
  const rows = text.split('\n').map((line) => line.split('\t'))
  return new Map(rows.filter(([name, value]) => name && value).map(([name, value]) => [name!, value!]))
}
