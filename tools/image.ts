// `npm run image [-- --out FILE --try]`: an image for containers, made of Debian packages and the build, without any
// registry of images. `docker load` and `podman load` read it; `--try` loads it into a separate docker daemon and runs
// it. It needs root and debootstrap.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { packageVersion } from './build/sdk.ts'
import { runCommand } from './command.ts'
import { writeImage } from './image/oci.ts'
import { brineLayer, debianLayer, NODE_MAJOR, USER } from './image/root.ts'
import { tryImage } from './image/try.ts'
import { nodeOf } from './nodes.ts'

const GO_NAMES: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' }

/** Build with the Node of the image, whose compiled forms are the ones that count. */
async function buildFor(root: string, dist: string): Promise<void> {
  const node = await nodeOf(root, NODE_MAJOR)
  if (node === undefined) throw new Error(`npm cannot install Node ${NODE_MAJOR}`)
  const { code, output } = await runCommand(root, node, ['--import', 'tsx', join('tools', 'build.ts'), dist])
  if (code !== 0) throw new Error(`The build failed:\n${output}`)
}

export async function buildImage(root: string, output: string): Promise<void> {
  const version = packageVersion(root)
  const epoch = Number(process.env['SOURCE_DATE_EPOCH'])
  const created = new Date(epoch > 0 ? epoch * 1000 : Date.now()).toISOString()
  const work = mkdtempSync(join(tmpdir(), 'brine-image-'))
  try {
    const dist = join(work, 'dist')
    await buildFor(root, dist)
    const layers = [await debianLayer(root, work, created), await brineLayer(root, dist, work, created)]
    mkdirSync(dirname(output), { recursive: true })
    const config = {
      User: USER,
      Env: ['PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', 'LANG=C.UTF-8'],
      Cmd: ['salt-master'],
      Volumes: { '/etc/salt': {}, '/var/cache/salt': {} },
      ExposedPorts: { '4505/tcp': {}, '4506/tcp': {} },
      Labels: { 'org.opencontainers.image.title': 'brine', 'org.opencontainers.image.version': version },
      StopSignal: 'SIGTERM',
    }
    const image = {
      name: `brine:${version}`,
      architecture: GO_NAMES[process.arch] ?? process.arch,
      created,
      config,
      layers,
    }
    await writeImage(join(work, 'layout'), image, output)
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

if (import.meta.filename === process.argv[1]) {
  const root = join(import.meta.dirname, '..')
  const { values } = parseArgs({ options: { out: { type: 'string' }, try: { type: 'boolean' } } })
  if (process.getuid?.() !== 0) {
    process.stderr.write('Only root can make an image, because debootstrap needs it\n')
    process.exit(1)
  }
  const out =
    values.out ?? join(root, 'packages', `brine-${packageVersion(root)}-${GO_NAMES[process.arch] ?? process.arch}.tar`)
  await buildImage(root, out)
  process.stdout.write(`${out}\n`)
  if (values.try) await tryImage(out, `brine:${packageVersion(root)}`)
}
