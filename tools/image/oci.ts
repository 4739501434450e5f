// An image as one archive: the layout of the Open Container Initiative, with the list of files that older versions of docker read beside it.
import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream, mkdirSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { runCommand } from '../command.ts'

export interface ImageConfig {
  readonly User: string
  readonly Env: readonly string[]
  readonly Cmd: readonly string[]
  readonly Volumes: Readonly<Record<string, object>>
  readonly ExposedPorts: Readonly<Record<string, object>>
  readonly Labels: Readonly<Record<string, string>>
  readonly StopSignal: string
}

export interface Image {
  /** Name with a tag. */
  name: string
  /** As Go names processors. */
  architecture: string
  created: string
  config: ImageConfig
  /** Archives of files, the lowest first. */
  layers: readonly string[]
}

interface Blob {
  mediaType: string
  digest: string
  size: number
}

const JSON_LAYOUT = { imageLayoutVersion: '1.0.0' }

class Layout {
  readonly folder: string

  constructor(folder: string) {
    this.folder = folder
    mkdirSync(join(folder, 'blobs', 'sha256'), { recursive: true })
  }

  blobPath(digest: string): string {
    return `blobs/sha256/${digest.slice('sha256:'.length)}`
  }

  addJson(mediaType: string, value: unknown): Blob {
    const text = JSON.stringify(value)
    const digest = `sha256:${createHash('sha256').update(text).digest('hex')}`
    writeFileSync(join(this.folder, this.blobPath(digest)), text)
    return { mediaType, digest, size: Buffer.byteLength(text) }
  }

  /** Compress a layer; return it with the digest of its plain form. */
  async addLayer(archive: string): Promise<{ blob: Blob; diffId: string }> {
    const fresh = join(this.folder, 'layer.tmp')
    const [plain, packed] = [createHash('sha256'), createHash('sha256')]
    await pipeline(
      createReadStream(archive),
      async function* (pieces: AsyncIterable<Buffer>) {
        for await (const piece of pieces) {
          plain.update(piece)
          yield piece
        }
      },
      createGzip({ level: 6 }),
      async function* (pieces: AsyncIterable<Buffer>) {
        for await (const piece of pieces) {
          packed.update(piece)
          yield piece
        }
      },
      createWriteStream(fresh),
    )
    const digest = `sha256:${packed.digest('hex')}`
    renameSync(fresh, join(this.folder, this.blobPath(digest)))
    const { size } = statSync(join(this.folder, this.blobPath(digest)))
    const mediaType = 'application/vnd.oci.image.layer.v1.tar+gzip'
    return { blob: { mediaType, digest, size }, diffId: `sha256:${plain.digest('hex')}` }
  }

  write(name: string, value: unknown): void {
    writeFileSync(join(this.folder, name), JSON.stringify(value))
  }
}

/** Write the image as an archive; `folder` is used meanwhile. */
export async function writeImage(folder: string, image: Image, output: string): Promise<void> {
  const layout = new Layout(folder)
  const layers: { blob: Blob; diffId: string }[] = []
  for (const archive of image.layers) layers.push(await layout.addLayer(archive))
  const { name, architecture, created, config } = image
  const configBlob = layout.addJson('application/vnd.oci.image.config.v1+json', {
    ...{ created, architecture, os: 'linux', config },
    rootfs: { type: 'layers', diff_ids: layers.map(({ diffId }) => diffId) },
    history: layers.map(() => ({ created, created_by: 'npm run image' })),
  })
  const manifest = layout.addJson('application/vnd.oci.image.manifest.v1+json', {
    schemaVersion: 2,
    mediaType: 'application/vnd.oci.image.manifest.v1+json',
    config: configBlob,
    layers: layers.map(({ blob }) => blob),
  })
  const annotations = {
    'org.opencontainers.image.ref.name': name,
    'io.containerd.image.name': `docker.io/library/${name}`,
  }
  layout.write('oci-layout', JSON_LAYOUT)
  layout.write('index.json', { schemaVersion: 2, manifests: [{ ...manifest, annotations }] })
  const paths = layers.map(({ blob }) => layout.blobPath(blob.digest))
  layout.write('manifest.json', [{ Config: layout.blobPath(configBlob.digest), RepoTags: [name], Layers: paths }])
  const { code, output: said } = await runCommand(folder, 'tar', [
    ...['--sort=name', '--owner=0', '--group=0', '--numeric-owner', `--mtime=${created}`],
    ...['-cf', output, 'oci-layout', 'index.json', 'manifest.json', 'blobs'],
  ])
  if (code !== 0) throw new Error(`The image cannot be written: ${said}`)
}
