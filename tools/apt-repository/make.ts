// A repository in the layout that apt expects: packages in pool/, an index of each architecture in dists/, and a Release file with the
// hashes of the indexes, which is what a key signs. Packages of an earlier run stay, so that older versions can be installed.
import { createHash } from 'node:crypto'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { runCommand } from '../command.ts'
import { gpg, type Signer, sign } from '../package/sign.ts'
import { ARCHITECTURES } from '../package/target.ts'

const COMPONENT = 'main'
const POOL = join('pool', COMPONENT, 'b', 'brine')
const KEYRING = 'brine-archive-keyring.asc'

export interface Repository {
  out: string
  /** The directory with the packages to add. */
  packages: string
  suite: string
  /** Without one, apt takes the repository only with `trusted=yes`. */
  signer: Signer | undefined
}

/** Add packages to a repository and write its indexes. Return what to put into a sources file of apt. */
export async function makeRepository({ out, packages, suite, signer }: Repository): Promise<string[]> {
  if (!/^[a-z][a-z0-9-]*$/.test(suite)) throw new Error(`--suite '${suite}' is not a name such as stable`)
  const debs = existsSync(packages) ? readdirSync(packages).filter((name) => name.endsWith('.deb')) : []
  if (debs.length === 0) throw new Error(`${packages} has no .deb files; make them with npm run package`)
  const pool = join(out, POOL)
  mkdirSync(pool, { recursive: true })
  for (const name of debs) {
    const place = join(pool, name)
    if (existsSync(place) && !readFileSync(place).equals(readFileSync(join(packages, name))))
      throw new Error(`${place} is another package of the same version; raise the version or --revision`)
    copyFileSync(join(packages, name), place)
  }
  const stanzas = await Promise.all(
    readdirSync(pool)
      .sort()
      .map((name) => stanzaOf(out, join(POOL, name))),
  )
  const dist = join(out, 'dists', suite)
  const indexes = ARCHITECTURES.flatMap((architecture) => writeIndex(dist, architecture, stanzas))
  writeFileSync(join(dist, 'Release'), releaseText(dist, suite, indexes))
  for (const name of ['InRelease', 'Release.gpg']) rmSync(join(dist, name), { force: true })
  if (signer) await signRelease(signer, out, dist)
  return sourceText(out, suite, signer !== undefined)
}

interface Stanza {
  architecture: string
  text: string
}

/** Return the entry of a package in an index: its own fields, and the path of its file. */
async function stanzaOf(out: string, path: string): Promise<Stanza> {
  const file = join(out, path)
  const { code, output } = await runCommand(out, 'dpkg-deb', ['--field', file])
  if (code !== 0) throw new Error(`dpkg-deb exited with ${code}: ${output.trim()}`)
  const bytes = readFileSync(file)
  const fields = [
    output.trimEnd(),
    `Filename: ${path}`,
    `Size: ${bytes.length}`,
    `SHA256: ${createHash('sha256').update(bytes).digest('hex')}`,
  ]
  return { architecture: /^Architecture: (\S+)$/m.exec(output)?.[1] ?? '', text: `${fields.join('\n')}\n` }
}

/** Write the index of an architecture; return its files below the directory of the suite. */
function writeIndex(dist: string, architecture: string, stanzas: readonly Stanza[]): string[] {
  const folder = join(COMPONENT, `binary-${architecture}`)
  mkdirSync(join(dist, folder), { recursive: true })
  const own = stanzas.filter((stanza) => stanza.architecture === architecture || stanza.architecture === 'all')
  const text = own.map((stanza) => stanza.text).join('\n')
  const [plain, packed] = [join(folder, 'Packages'), join(folder, 'Packages.gz')]
  writeFileSync(join(dist, plain), text)
  writeFileSync(join(dist, packed), gzipSync(text, { level: 9 }))
  return [plain, packed]
}

function releaseText(dist: string, suite: string, indexes: readonly string[]): string {
  const lines = indexes.map((path) => {
    const hash = createHash('sha256')
      .update(readFileSync(join(dist, path)))
      .digest('hex')
    return ` ${hash} ${statSync(join(dist, path)).size} ${path}`
  })
  return [
    'Origin: Brine',
    'Label: Brine',
    `Suite: ${suite}`,
    `Codename: ${suite}`,
    `Date: ${new Date().toUTCString().replace('GMT', 'UTC')}`,
    `Architectures: ${ARCHITECTURES.join(' ')}`,
    `Components: ${COMPONENT}`,
    'Description: Packages of Brine',
    'SHA256:',
    ...lines,
    '',
  ].join('\n')
}

async function signRelease(signer: Signer, out: string, dist: string): Promise<void> {
  const release = join(dist, 'Release')
  await sign(signer, release, join(dist, 'InRelease'), '--clear-sign')
  await sign(signer, release, join(dist, 'Release.gpg'))
  await gpg(signer, ['--armor', '--output', join(out, KEYRING), '--export', '--', signer.key])
}

const sourceText = (out: string, suite: string, isSigned: boolean): string[] => [
  '# /etc/apt/sources.list.d/brine.sources, with the address of your web server in place of file:',
  'Types: deb',
  `URIs: file:${out}`,
  `Suites: ${suite}`,
  `Components: ${COMPONENT}`,
  isSigned ? `Signed-By: ${join(out, KEYRING)}` : 'Trusted: yes',
]
