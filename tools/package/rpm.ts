// Packages for systems with RPM: one spec file over trees that are laid out already, by rpmbuild.
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runCommand } from '../command.ts'
import { rpmChangelog } from './changelog.ts'
import type { Compression } from './deb.ts'
import { layOut, type Making } from './layout.ts'
import { freshFolder } from './programs.ts'
import { PACKAGES, type PackageName, RELATIONS, unitOf } from './relations.ts'
import { scriptsOf } from './scripts.ts'
import { NAMES } from './target.ts'

/** A relation in the words of RPM. Salt's package of common parts has another name there than in Debian. */
const rpmRelation = (relation: string): string => relation.replace(/^salt-common$/, 'salt').replace(/[()]/g, '')

/** The compression of RPM: the oldest supported systems read gzip fast. */
const COMPRESSION: Readonly<Record<Compression, string>> = { small: 'w7T0.xzdio', quick: 'w1.gzdio' }

/** Make all packages of an architecture in `out` and return their files. */
export async function makeRpms(making: Making, work: string, out: string, compression: Compression): Promise<string[]> {
  const { root, architecture, release } = making
  const top = freshFolder(join(work, 'rpm'))
  for (const name of PACKAGES) {
    const folder = join(top, 'trees', name)
    mkdirSync(folder, { recursive: true })
    await layOut(name, making, folder)
  }
  writeFileSync(join(top, 'brine.spec'), specOf(making, join(top, 'trees')))
  const macros = {
    _topdir: top,
    _buildhost: 'localhost',
    _binary_payload: COMPRESSION[compression],
    _build_id_links: 'none',
    __os_install_post: '%{nil}',
    use_source_date_epoch_as_buildtime: '1',
    clamp_mtime_to_source_date_epoch: '1',
    source_date_epoch_from_changelog: '0',
  }
  const defines = Object.entries(macros).flatMap(([name, value]) => ['--define', `${name} ${value}`])
  const words = ['-bb', '--target', `${NAMES[architecture].rpm}-linux`, ...defines, join(top, 'brine.spec')]
  const { code, output } = await runCommand(root, 'rpmbuild', words, { SOURCE_DATE_EPOCH: String(release.date) })
  if (code !== 0) throw new Error(`rpmbuild exited with ${code}: ${output.trim()}`)
  const made = join(top, 'RPMS')
  const files = readdirSync(made, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.rpm'))
    .sort()
  return files.map((file) => {
    const target = join(out, file.slice(file.lastIndexOf('/') + 1))
    renameSync(join(made, file), target)
    return target
  })
}

function specOf(making: Making, trees: string): string {
  const { root, release } = making
  const [first, ...others] = PACKAGES
  return [
    header(first, making),
    ...others.map((name) => `%package -n ${name}\n${fieldsOf(name, making)}`),
    ...PACKAGES.map((name) => `%description -n ${name}\n${descriptionOf(name)}\n`),
    `%install\n${PACKAGES.map((name) => `cp -a ${trees}/${name}/. %{buildroot}/\n`).join('')}`,
    ...PACKAGES.flatMap((name) =>
      [...scriptsOf(root, 'rpm', name)].map(([moment, text]) => scriptlet(name, moment, text)),
    ),
    ...PACKAGES.map((name) => `%files -n ${name}\n%defattr(-,root,root)\n${filesOf(join(trees, name)).join('\n')}\n`),
    `%changelog\n${rpmChangelog(readFileSync(join(root, 'CHANGELOG.md'), 'utf8'), release)}`,
  ].join('\n')
}

function header(name: PackageName, making: Making): string {
  const { version, revision, maintainer } = making.release
  return `Name: ${name}\nVersion: ${version}\nRelease: ${revision}\nPackager: ${maintainer}\n${fieldsOf(name, making)}`
}

function fieldsOf(name: PackageName, { release }: Making): string {
  const { summary, standsFor, conflicts, needs } = RELATIONS[name]
  const own = needs.map((each) => `Requires: ${each} = ${release.version}-${release.revision}`)
  const stands = standsFor.map((each) => `Provides: ${rpmRelation(each)}`)
  const lines = [
    `Summary: ${summary.charAt(0).toUpperCase()}${summary.slice(1)}`,
    'License: Apache-2.0',
    'Group: System Environment/Daemons',
    name === 'brine' ? '' : 'BuildArch: noarch',
    // the libraries of Node.js are required below by name, for all distributions alike
    'AutoReqProv: no',
    ...(name === 'brine' ? LIBRARIES.map((each) => `Requires: ${each}`) : []),
    name === 'brine-master' ? 'Requires(pre): /usr/sbin/useradd, /usr/sbin/groupadd' : '',
    unitOf(name) === undefined ? '' : 'Requires: systemd',
    ...own,
    ...stands,
    ...conflicts.map((each) => `Conflicts: ${rpmRelation(each)}`),
    '',
  ]
  return lines.filter((line, at) => line !== '' || at === lines.length - 1).join('\n')
}

const LIBRARIES = ['libc.so.6(GLIBC_2.28)(64bit)', 'libstdc++.so.6(GLIBCXX_3.4.21)(64bit)', 'libgcc_s.so.1()(64bit)']

const descriptionOf = (name: PackageName): string =>
  RELATIONS[name].description.map((line) => (line === '.' ? '' : line)).join('\n')

/** RPM expands percent signs in scripts. */
const scriptlet = (name: PackageName, moment: string, text: string): string =>
  `%${moment} -n ${name} -p /bin/sh\n${text.replace(/^#!.*\n/, '').replaceAll('%', '%%')}`

/** Files and the directories that belong to these packages alone or are shared with Salt's. */
function filesOf(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  const paths = entries.map((entry) => {
    const path = `${entry.parentPath}/${entry.name}`.slice(folder.length)
    if (!entry.isDirectory()) return `"${path}"`
    return /^\/(usr\/(lib|share)\/brine|usr\/share\/doc\/brine|etc\/salt|var\/(cache|log)\/salt)/.test(path)
      ? `%dir "${path}"`
      : ''
  })
  return paths.filter(Boolean).sort()
}
