// The commands that build packages, on a simulated machine; a stand-in for a command creates its output files.
import { describe, expect, test } from 'vitest'
import { fromPlain, toPlain, type Value } from '../../../data/mod.ts'
import { type MemoryFile, MemoryHost } from '../../../host/mod.ts'
import { type Keywords, type ModuleDeclaration, tryFunction } from '../../../sdk/mod.ts'
import debuild from './debuild_pkgbuild.module.ts'
import rpmbuild from './rpmbuild.module.ts'
import rpmPkgbuild from './rpmbuild_pkgbuild.module.ts'

const program: MemoryFile = { text: '', mode: 0o755 }
const FILES: Record<string, MemoryFile> = {
  '/root/.pbuilderrc': 'DISTRIBUTION=bookworm\n',
  '/home/builder/.pbuilderrc': '',
  '/home/builder/.rpmmacros': '',
  '/src/app.dsc': 'dsc',
  '/src/app.orig.tar.gz': 'tar',
  '/src/app.spec': 'spec',
  '/src/salt-3008.2.tar.gz': 'tar',
  '/src/salt_debian.tar.xz': 'tar',
  '/keys/gpg-tty-info-salt': 'GPG_TTY=/dev/pts/0\n',
  '/usr/lib/gnupg/gpg-preset-passphrase': program,
  '/usr/bin/debsign': program,
}
const USERS = ['root', 'builder'].map((name, at) => ({
  name,
  uid: at * 9,
  gid: at * 9,
  home: at === 0 ? '/root' : '/home/builder',
  shell: '/bin/sh',
  gecos: '',
}))
const FINGERPRINT = 'AAAA0000BBBB1111CCCC2222DDDD3333EEEE4444'
const SECRET_KEYS = `sec   rsa2048 2026-01-01 [SC]\n      ${FINGERPRINT}\n      Keygrip = 0123456789\n`

type Effect = (line: string, host: MemoryHost) => Promise<number | undefined>

interface Trial {
  files?: Record<string, MemoryFile>
  pillar?: Record<string, string>
  grains?: Record<string, string | number>
  effect?: Effect
}

async function call(module: ModuleDeclaration, fun: string, kwargs: Record<string, unknown>, trial: Trial = {}) {
  const host = await MemoryHost.with({ files: { ...FILES, ...trial.files }, users: USERS as never })
  const ran: string[] = []
  const inputs: Value[] = []
  const run = async ([words]: readonly Value[], options: Keywords): Promise<number> => {
    ran.push((words as string[]).join(' ').replace(/\/tmp\/[^/ ]+/g, 'TMP'))
    const stdin = options instanceof Map ? options.get('stdin') : (options as Record<string, Value>)['stdin']
    if (stdin !== undefined) inputs.push(stdin)
    return (await trial.effect?.((words as string[]).join(' '), host)) ?? 0
  }
  const folder = (options: Keywords): string =>
    String(options instanceof Map ? options.get('name') : (options as Record<string, Value>)['name'])
  const others = {
    'cmd.retcode': run,
    'cmd.run_all': async (args: readonly Value[], options: Keywords) =>
      fromPlain({ pid: 1, retcode: await run(args, options), stdout: 'done', stderr: '' }),
    'cmd.run': ([words]: readonly Value[]) => ((words as string[])[0] === 'rpm' ? '/log/app/1.0-1' : SECRET_KEYS),
    'pillar.get': ([name]: readonly Value[]) => trial.pillar?.[String(name)] ?? '',
    'gpg.import_key': () => new Map(),
    'gpg.list_keys': () =>
      fromPlain([{ keyid: '11112222EEEE4444', fingerprint: FINGERPRINT, uids: ['Packager <p@example.com>'] }]),
    'file.chown': () => null,
    'file.makedirs_perms': async (_: readonly Value[], options: Keywords) => {
      await host.makeDirectory(folder(options), { parents: true })
      return null
    },
  }
  const grains = fromPlain(trial.grains ?? {}) as Map<Value, Value>
  const answer = toPlain(
    await tryFunction(module, fun, { kwargs: fromPlain(kwargs as never) as never, others, host, grains }),
  )
  return { answer, ran, host, inputs }
}

const text = async (host: MemoryHost, path: string): Promise<string> => Buffer.from(await host.read(path)).toString()
const KEYS = { gpg_pkg_pub_keyname: 'k.pub', gpg_pkg_priv_keyname: 'k.pem', gpg_passphrase: 'hidden words' }
const SIGN = { keyid: 'EEEE4444', use_passphrase: true, gnupghome: '/keys' }

describe('debuild_pkgbuild', () => {
  const DSC = { spec: '/src/app.dsc', sources: '/src/app.orig.tar.gz' }

  test('make_src_pkg copies a source package, and quotes variables of the build', async () => {
    const env = { DEB_BUILD_OPTIONS: 'nocheck; reboot' }
    const { answer, host } = await call(debuild, 'make_src_pkg', { dest_dir: '/out', ...DSC, env })
    expect(answer).toEqual(['/out/app.dsc', '/out/app.orig.tar.gz'])
    expect(await text(host, '/root/.pbuilderrc')).toBe(
      "DISTRIBUTION=bookworm\nDEB_BUILD_OPTIONS='nocheck; reboot'\nexport DEB_BUILD_OPTIONS\n",
    )
    const bad = { dest_dir: '/out', ...DSC, env: { 'A;reboot': '1' } }
    await expect(call(debuild, 'make_src_pkg', bad)).rejects.toThrow("'A;reboot' is not the name of a variable")
    await expect(call(debuild, 'make_src_pkg', { ...bad, env: {}, runas: '-R' })).rejects.toThrow('hyphen')
  })

  test('make_src_pkg makes one of a tarball of Salt', async () => {
    const effect: Effect = async (line, host) => {
      const [, tree] = /-cvzf (.*)\/salt_/.exec(line) ?? []
      if (tree) await host.write(`${tree}/salt_3008.2+ds.dsc`, '')
      return line.startsWith('debuild') ? 0 : undefined
    }
    const given = { dest_dir: '/out', spec: '/src/salt_debian.tar.xz', sources: ['/src/salt-3008.2.tar.gz'] }
    const { answer, ran } = await call(debuild, 'make_src_pkg', given, { effect })
    expect(answer).toContain('/out/salt_3008.2+ds.dsc')
    expect(ran.slice(-7)).toEqual([
      'tar -xvzf salt-3008.2.tar.gz',
      'mv salt-3008.2 salt_3008.2+ds',
      'tar -cvzf TMP/salt_3008.2+ds.orig.tar.gz salt_3008.2+ds',
      'rm -f salt-3008.2.tar.gz',
      'tar -xvJf TMP/salt_debian.tar.xz',
      'debuild -S -uc -us -sa',
      'rm -fR TMP/salt_3008.2+ds',
    ])
    const failing: Effect = async (line) => (line.startsWith('debuild') ? 2 : 0)
    await expect(call(debuild, 'make_src_pkg', given, { effect: failing })).rejects.toThrow(
      'failed with return error 2',
    )
  })

  test('build returns what pbuilder left', async () => {
    const given = { runas: 'builder', tgt: 'deb', dest_dir: '/out', ...DSC }
    const effect: Effect = async (line, host) => {
      if (!line.startsWith('/usr/sbin/pbuilder build')) return 0
      await host.makeDirectory('/var/cache/pbuilder/result', { parents: true })
      await host.write('/var/cache/pbuilder/result/app.deb', '')
      return 0
    }
    const { answer, ran } = await call(debuild, 'build', given, { effect })
    expect(answer).toEqual({ Packages: ['/out/app.deb'] })
    expect(ran).toContain('cp -R /home/builder/.pbuilder-hooks /root/')
    expect(ran).toContain('/usr/sbin/pbuilder build --debbuildopts -sa TMP/app.dsc')
    expect((await call(debuild, 'build', { ...given, spec: '/src/none.dsc' })).answer).toEqual({})
  })

  test('make_repo signs, and gives the passphrase by standard input alone', async () => {
    const files = { '/repo/app.dsc': '', '/repo/app.deb': '', '/repo/app.changes': '' }
    const env = { CODENAME: 'bookworm', OPTIONS: 'ask-passphrase', Custom: 'x' }
    const trial = { files, pillar: KEYS }
    const { answer, ran, host, inputs } = await call(debuild, 'make_repo', { repodir: '/repo', env, ...SIGN }, trial)
    expect(answer).toMatchObject({ retcode: 0, stdout: 'done' })
    expect(await text(host, '/repo/conf/distributions')).toBe(
      'Codename: bookworm\nCustom: x\nArchitectures: i386 amd64 source\nComponents: main\nSignWith: EEEE4444\n',
    )
    expect(await text(host, '/repo/conf/options')).toBe('ask-passphrase\n')
    expect(await host.stat('/repo/app.changes')).toBeUndefined()
    expect(ran.slice(1)).toEqual([
      '/usr/lib/gnupg/gpg-preset-passphrase --verbose --preset 0123456789',
      'reprepro --ignore=wrongdistribution --component=main -Vb . includedeb bookworm /repo/app.deb',
      `debsign --re-sign -k ${FINGERPRINT} /repo/app.dsc`,
      'reprepro --ignore=wrongdistribution --component=main -Vb . includedsc bookworm /repo/app.dsc',
    ])
    expect(inputs).toEqual(['hidden words'])
    expect(ran.join('\n')).not.toContain('hidden')
  })

  test('make_repo refuses names that would be an option or another line, and a missing key', async () => {
    await expect(call(debuild, 'make_repo', { repodir: '/repo', env: { CODENAME: '-x' } })).rejects.toThrow('hyphen')
    await expect(call(debuild, 'make_repo', { repodir: '/repo', env: { LABEL: 'a\nb' } })).rejects.toThrow('line ends')
    const wish = { repodir: '/repo', keyid: '00000000' }
    await expect(call(debuild, 'make_repo', wish)).rejects.toThrow('Pillar data should contain')
    await expect(call(debuild, 'make_repo', wish, { pillar: KEYS })).rejects.toThrow("key ID '00000000' was not found")
    expect((await call(debuild, 'make_repo', { repodir: '/repo' })).answer).toMatchObject({ retcode: 1 })
  })
})

describe('rpmbuild_pkgbuild', () => {
  const SPEC = { spec: '/src/app.spec', sources: ['/src/app.orig.tar.gz'] }
  const effect: Effect = async (line, host) => {
    const [, tree] = /_topdir (\S+)/.exec(line) ?? []
    if (tree) await host.write(`${tree}/SRPMS/app-1.0-1.src.rpm`, '')
    const [, results] = /--resultdir=(\S+) .*app-1\.0-1\.src\.rpm$/.exec(line) ?? []
    for (const name of results ? ['app-1.0-1.src.rpm', 'app-1.0-1.noarch.rpm', 'build.log'] : []) {
      await host.write(`${results}/${name}`, '')
    }
    return 0
  }

  test.each([
    ['pkgbuild', rpmPkgbuild],
    ['rpmbuild', rpmbuild],
  ])('%s makes a source package', async (_, module) => {
    const { answer, ran } = await call(module, 'make_src_pkg', { dest_dir: '/out', ...SPEC }, { effect })
    expect(answer).toEqual(['/out/app-1.0-1.src.rpm'])
    expect(ran).toEqual(['rpmbuild --verbose --define _topdir TMP -bs --define dist .el6 TMP/SPECS/app.spec'])
  })

  test('build sorts packages, source packages and logs', async () => {
    const given = { runas: 'builder', tgt: 'epel-8-x86_64', dest_dir: '/out', ...SPEC, deps: ['/src/app.dsc'] }
    const { answer, ran } = await call(rpmPkgbuild, 'build', given, { effect })
    expect(answer).toEqual({
      Packages: ['/out/app-1.0-1.noarch.rpm'],
      'Source Packages': ['/out/SRPMS/app-1.0-1.src.rpm'],
      'Log Files': ['/log/app/1.0-1/build.log'],
    })
    expect(ran.at(-1)).toBe(
      'mock --root=epel-8-x86_64 --resultdir=TMP --define dist .el8 --no-clean TMP/app-1.0-1.src.rpm',
    )
    const failing: Effect = async (line, host) => (line.startsWith('mock') ? 1 : effect(line, host))
    await expect(call(rpmPkgbuild, 'build', given, { effect: failing })).rejects.toThrow('failed with return error 1')
  })

  test.each([
    [{ os_family: 'RedHat', osmajorrelease: 9 }, 'rpmsign --verbose --key-id=11112222EEEE4444 --addsign /repo/a.rpm'],
    [
      { os_family: 'Suse' },
      'rpm --define=%_signature gpg --define=%_gpg_name Packager <p@example.com> --addsign /repo/a.rpm',
    ],
  ])('make_repo on %j signs with `%s`', async (grains, line) => {
    const trial = { files: { '/repo/a.rpm': '' }, pillar: KEYS, grains }
    const { answer, ran } = await call(rpmPkgbuild, 'make_repo', { repodir: '/repo', runas: 'builder', ...SIGN }, trial)
    expect(answer).toMatchObject({ retcode: 0 })
    expect(ran.slice(1)).toEqual(['rpm --import /keys/k.pub', line, 'createrepo --update /repo'])
    const unsigned = await call(rpmPkgbuild, 'make_repo', { repodir: '/repo', runas: 'builder' }, trial)
    expect(unsigned.ran).toEqual(['createrepo --update /repo'])
  })
})

test('providers of pkgbuild are chosen by the system and its programs', async () => {
  const host = await MemoryHost.with({
    files: Object.fromEntries(
      'gpg debuild pbuilder reprepro rpm rpmbuild mock createrepo'
        .split(' ')
        .map((name) => [`/usr/bin/${name}`, program]),
    ),
  })
  const chosen = async (module: ModuleDeclaration, family: string) =>
    (await module.when!({ opts: new Map(), grains: new Map([['os_family', family]]), host })) === true
  const answers = await Promise.all(
    ['Debian', 'RedHat'].flatMap((family) => [debuild, rpmPkgbuild, rpmbuild].map((module) => chosen(module, family))),
  )
  expect(answers).toEqual([true, false, true, false, true, false])
})
