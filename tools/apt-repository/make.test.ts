// A repository of small packages, read by real apt with separate directories.
import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join, normalize } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { GpgHome, noGpg } from '../../test/gpg.ts'
import { runCommand } from '../command.ts'
import { makeRepository } from './make.ts'

const cannot = noGpg !== undefined || !existsSync('/usr/bin/apt-get') || !existsSync('/usr/bin/dpkg-deb')

const folder = mkdtempSync(join(tmpdir(), 'brine-apt-'))
const [packages, out] = [join(folder, 'packages'), join(folder, 'repository')]
let gpg: GpgHome
let stranger = ''
let server: Server

function makeDeb(name: string, version: string, architecture: string, needs = ''): void {
  const tree = join(folder, 'tree', name)
  rmSync(tree, { recursive: true, force: true })
  mkdirSync(join(tree, 'DEBIAN'), { recursive: true })
  mkdirSync(join(tree, 'usr/share', name), { recursive: true })
  writeFileSync(join(tree, 'usr/share', name, 'version'), version)
  const fields = [
    `Package: ${name}`,
    `Version: ${version}`,
    `Architecture: ${architecture}`,
    'Maintainer: A <a@example.com>',
    ...(needs === '' ? [] : [`Depends: ${needs}`]),
    'Description: a package\n with more to say',
  ]
  writeFileSync(join(tree, 'DEBIAN/control'), `${fields.join('\n')}\n`)
  mkdirSync(packages, { recursive: true })
  execFileSync('dpkg-deb', [
    ...['--root-owner-group', '-Znone', '--build', tree],
    join(packages, `${name}_${version}_${architecture}.deb`),
  ])
}

const publish = (): Promise<string[]> =>
  makeRepository({
    ...{ out, packages, suite: 'stable' },
    signer: { key: 'own@example.com', home: gpg.folder },
  })

beforeAll(async () => {
  if (cannot) return
  gpg = new GpgHome(join(folder, 'gpg'))
  gpg.makeKey('own@example.com')
  stranger = gpg.makeKey('other@example.com')
  makeDeb('brine', '1.0-1', 'amd64')
  makeDeb('brine-minion', '1.0-1', 'all', 'brine (= 1.0-1)')
  await publish()
  server = createServer((request, response) => {
    const path = join(out, normalize(decodeURIComponent(request.url ?? '/')))
    if (existsSync(path)) response.end(readFileSync(path))
    else response.writeHead(404).end()
  }).listen(0, '127.0.0.1')
  await new Promise((done) => server.once('listening', done))
})
afterAll(() => {
  gpg?.close()
  server?.close()
  rmSync(folder, { recursive: true, force: true })
})

/** A root with nothing but what apt and dpkg need. */
class Root {
  readonly folder: string
  private readonly options: string[]

  constructor(name: string, uri: string, keyring: string) {
    this.folder = join(folder, name)
    for (const path of [
      'etc/apt/apt.conf.d',
      'etc/apt/preferences.d',
      'etc/apt/sources.list.d',
      'var/lib/apt/lists/partial',
    ])
      mkdirSync(join(this.folder, path), { recursive: true })
    for (const path of ['var/cache/apt/archives/partial', 'var/log/apt', 'var/lib/dpkg/info', 'var/lib/dpkg/updates'])
      mkdirSync(join(this.folder, path), { recursive: true })
    writeFileSync(join(this.folder, 'var/lib/dpkg/status'), '', { flag: 'a' })
    // read before the files of this machine
    writeFileSync(join(this.folder, 'apt.conf'), `Dir "${this.folder}";\n`)
    const source = `Types: deb\nURIs: ${uri}\nSuites: stable\nComponents: main\nSigned-By: ${keyring}\n`
    writeFileSync(join(this.folder, 'etc/apt/sources.list.d/brine.sources'), source)
    this.options = [
      `Dir::State::status=${join(this.folder, 'var/lib/dpkg/status')}`,
      `Dir::Bin::methods=/usr/lib/apt/methods`,
      `Dir::Bin::dpkg=/usr/bin/dpkg`,
      'Dir::Bin::solvers=/usr/lib/apt/solvers',
      `DPkg::Options::=--root=${this.folder}`,
      'APT::Architecture=amd64',
      'APT::Sandbox::User=',
      'Acquire::Languages=none',
    ].flatMap((each) => ['-o', each])
  }

  /** Not the synchronous way: the web server of this process has to answer. */
  apt(...words: string[]): Promise<{ code: number; output: string }> {
    return runCommand(this.folder, 'apt-get', [...this.options, '-y', '-q', ...words], {
      LC_ALL: 'C',
      APT_CONFIG: join(this.folder, 'apt.conf'),
    })
  }

  version(name: string): string {
    return readFileSync(join(this.folder, 'usr/share', name, 'version'), 'utf8')
  }
}

const address = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`
const keyring = join(out, 'brine-archive-keyring.asc')

describe.skipIf(cannot)('a repository for apt', () => {
  it.skipIf(process.getuid?.() !== 0)(
    'has packages that apt installs and upgrades, from a directory and over http',
    async () => {
      for (const [name, uri] of [
        ['by-file', `file:${out}`],
        ['by-http', address()],
      ] as const) {
        const root = new Root(name, uri, keyring)
        expect(await root.apt('update')).toMatchObject({ code: 0, output: expect.not.stringMatching(/^(W|E|N):/m) })
        expect(await root.apt('install', 'brine-minion')).toMatchObject({ code: 0 })
        expect([root.version('brine'), root.version('brine-minion')]).toEqual(['1.0-1', '1.0-1'])
      }
      makeDeb('brine', '1.0-2', 'amd64')
      makeDeb('brine-minion', '1.0-2', 'all', 'brine (= 1.0-2)')
      await publish()
      const root = new Root('by-file', `file:${out}`, keyring)
      writeFileSync(join(root.folder, 'var/lib/dpkg/status'), '')
      await root.apt('update')
      expect(await root.apt('install', 'brine-minion')).toMatchObject({ code: 0 })
      expect(root.version('brine-minion')).toBe('1.0-2')
      expect(await root.apt('install', '--allow-downgrades', 'brine=1.0-1', 'brine-minion=1.0-1')).toMatchObject({
        code: 0,
      })
    },
  )

  it('is refused when another key signed it, or a file of it was changed', async () => {
    const strange = new Root('strange', `file:${out}`, stranger)
    expect(await strange.apt('update')).toMatchObject({ output: expect.stringContaining('NO_PUBKEY') })
    expect((await strange.apt('install', 'brine')).code).not.toBe(0)
    const changed = join(folder, 'changed')
    cpSync(out, changed, { recursive: true })
    const index = join(changed, 'dists/stable/main/binary-amd64')
    rmSync(join(index, 'Packages.gz'))
    writeFileSync(
      join(index, 'Packages'),
      readFileSync(join(index, 'Packages'), 'utf8').replace('a package', 'a trojan'),
    )
    expect((await new Root('changed-root', `file:${changed}`, keyring).apt('update')).code).not.toBe(0)
  })

  it('does not replace a package by another one of the same version', async () => {
    writeFileSync(join(packages, 'brine_1.0-1_amd64.deb'), 'other bytes')
    await expect(publish()).rejects.toThrow('another package of the same version')
  })

  it('is made of packages that are there', () => {
    const words = ['--import', 'tsx', 'tools/apt-repository.ts', '--packages', join(folder, 'none'), '--out', out]
    const { status, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8' })
    expect({ status, stderr }).toMatchObject({ status: 1, stderr: expect.stringContaining('has no .deb files') })
  })
})
