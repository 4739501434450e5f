// Functions on images: pulling, building, tagging, saving and removing them.
import { str, truthy } from '../../../../data/mod.ts'
import { arg, type Bound, changes, type FunctionContext, reads, ret } from '../../../../sdk/mod.ts'
import { docker, inspect, jsonLines, lines, said } from './cli.ts'
import * as image from './images.ts'

const name = arg.text('Name or ID of the image')
const repository = arg.text('Repository of the new image')
const tag = arg.text('Tag of the new image', { default: 'latest' })
const optionalRepository = arg.text('Repository of the new image', { optional: true })
const optionalTag = arg.text('Tag of the new image', { optional: true })
const transfer = {
  image: arg.text('Image, with its tag'),
  insecure_registry: arg.flag('Ignored: the daemon decides', { default: false }),
  api_response: arg.flag('Ignored', { default: false }),
  client_timeout: arg.any('Ignored', { default: 60 }),
}

const information = {
  images: reads({
    doc: 'Return images with their properties.',
    args: {
      verbose: arg.flag('Ignored', { default: false }),
      kwargs: arg.open('all: whether untagged images are listed too'),
    },
    returns: ret.dict('Properties by ID'),
    run: (ctx, { kwargs }) => image.images(ctx, truthy(kwargs.get('all') ?? null)),
  }),
  list_tags: reads({
    doc: 'Return the tags of images.',
    returns: ret.texts('Sorted tags'),
    run: (ctx) => image.tags(ctx),
  }),
  inspect_image: reads({
    doc: 'Return all that Docker knows about an image.',
    args: { name },
    returns: ret.dict('Facts about the image'),
    example: 'docker.inspect_image nginx',
    run: (ctx, { name }) => inspect(ctx, 'image', name),
  }),
  resolve_image_id: reads({
    doc: 'Return the ID of an image.',
    args: { name },
    returns: ret.any('ID; False without such an image'),
    example: 'docker.resolve_image_id nginx',
    run: (ctx, { name }) => image.resolveId(ctx, name),
  }),
  resolve_tag: reads({
    doc: 'Return the tag of an image.',
    args: { name, kwargs: arg.open('all: whether a list of all tags is returned') },
    returns: ret.any('Tag, or the ID of an untagged image; False without such an image'),
    example: 'docker.resolve_tag nginx',
    run: (ctx, { name, kwargs }) => image.resolveTag(ctx, name, truthy(kwargs.get('all') ?? null)),
  }),
  history: reads({
    doc: 'Return the layers of an image.',
    args: { name, quiet: arg.flag('Whether only the commands are returned', { default: false }) },
    returns: ret.list('One dict or command for each layer'),
    example: 'docker.history nginx',
    run: async (ctx, { name, quiet }) => {
      const rows = await jsonLines(ctx, 'history', '--no-trunc', name)
      return quiet ? rows.map((row) => row.get('CreatedBy') ?? null) : rows
    },
  }),
}

const buildArgs = {
  path: arg.text('Directory of the build', { optional: true }),
  repository: optionalRepository,
  tag: optionalTag,
  cache: arg.flag('Whether layers of earlier builds are used', { default: true }),
  rm: arg.flag('Ignored', { default: true }),
  api_response: arg.flag('Ignored', { default: false }),
  fileobj: arg.any('Ignored', { optional: true }),
  dockerfile: arg.text('Dockerfile, relative to the directory', { optional: true }),
  buildargs: arg.dict('Build arguments by name', { optional: true }),
  network_mode: arg.text('Network of the build', { optional: true }),
  labels: arg.any('Ignored', { optional: true }),
  cache_from: arg.any('Ignored', { optional: true }),
  target: arg.text('Stage to build', { optional: true }),
}

async function build(ctx: FunctionContext, given: Bound<typeof buildArgs>) {
  const { repository, tag, cache, dockerfile, buildargs, network_mode, target } = given
  const path = str(given.path)
  const full = `${repository}:${str(tag)}`
  const flags = [
    ...(repository === null ? [] : [`--tag=${full}`]),
    ...(cache ? [] : ['--no-cache']),
    ...(dockerfile === null ? [] : [`--file=${path}/${dockerfile}`]),
    ...(network_mode === null ? [] : [`--network=${network_mode}`]),
    ...(target === null ? [] : [`--target=${target}`]),
    ...[...(buildargs ?? [])].map(([key, value]) => `--build-arg=${str(key)}=${str(value)}`),
  ]
  const built = (await said(ctx, 'build', '--quiet', ...flags, path)).split('\n').at(-1) ?? ''
  const id = str(await image.resolveId(ctx, built))
  return { Id: id.replace(/^sha256:/, '').slice(0, 12), Image: repository === null ? id : full }
}

export const imageFunctions = {
  ...information,
  pull: changes({
    doc: 'Pull an image from its registry.',
    args: transfer,
    returns: ret.dict('`Status`, `Layers` and `Time_Elapsed`'),
    example: 'docker.pull nginx:latest',
    run: (ctx, { image: wanted }) => image.pull(ctx, wanted),
  }),
  push: changes({
    doc: 'Push an image to its registry.',
    args: transfer,
    returns: ret.dict('`Status` and `retcode`'),
    example: 'docker.push registry/app',
    run: async (ctx, { image }) => ({ Status: (await lines(ctx, 'push', image)).at(-1) ?? '', retcode: 0 }),
  }),
  tag: changes({
    doc: 'Tag an image.',
    args: { name, repository, tag, force: arg.flag('Ignored', { default: false }) },
    returns: ret.boolean('True; a refusal of Docker is an error'),
    example: 'docker.tag 0123456789ab myrepo/mycontainer',
    run: async (ctx, { name, repository, tag }) => {
      await docker(ctx, ['tag', name, `${repository}:${tag}`])
      return true
    },
  }),
  rmi: changes({
    doc: 'Remove images.',
    args: { names: arg.rest('Names or IDs of images'), kwargs: arg.open('force: whether images in use are removed') },
    returns: ret.dict('Removed `Layers` and `Tags`, `retcode` and `Errors`'),
    example: 'docker.rmi nginx',
    run: (ctx, { names, kwargs }) => image.removeImages(ctx, names, truthy(kwargs.get('force') ?? null)),
  }),
  build: changes({
    doc: 'Build an image.',
    args: buildArgs,
    returns: ret.dict('`Id` and `Image`'),
    example: 'docker.build /path/to/build/dir repository=app tag=1',
    run: build,
  }),
  load: changes({
    doc: 'Load images from a file.',
    args: { path: arg.text('Path of the file'), repository: optionalRepository, tag: optionalTag },
    returns: ret.dict('`Path`, `Layers` and `Image`'),
    example: 'docker.load /tmp/app.tar',
    run: async (ctx, { path, repository, tag }) => {
      const printed = await lines(ctx, 'load', `--input=${path}`)
      const loaded = printed.flatMap((line) => /^Loaded image(?: ID)?: (.*)$/.exec(line)?.[1] ?? [])
      const [first = ''] = loaded
      const full = repository === null ? first : `${repository}:${tag ?? 'latest'}`
      if (first !== '' && first !== full) await docker(ctx, ['tag', first, full])
      return { Path: path, Layers: loaded, Image: full }
    },
  }),
  save: changes({
    doc: 'Save an image in a file.',
    args: { name, path: arg.text('Path of the file') },
    returns: ret.dict('`Path` and `Size`'),
    example: 'docker.save app /tmp/app.tar',
    run: async (ctx, { name, path }) => {
      await docker(ctx, ['save', `--output=${path}`, name])
      return { Path: path, Size: (await ctx.host.stat(path))?.size ?? 0 }
    },
  }),
  commit: changes({
    doc: 'Create an image from a container.',
    args: {
      name: arg.text('Name or ID of the container'),
      repository,
      tag,
      message: arg.text('Commit message', { optional: true }),
      author: arg.text('Author of the image', { optional: true }),
    },
    returns: ret.dict('`Id` and `Image`'),
    example: 'docker.commit web app 1',
    run: async (ctx, { name, repository, tag, message, author }) => {
      const full = `${repository}:${tag}`
      const notes = [
        ...(message === null ? [] : [`--message=${message}`]),
        ...(author === null ? [] : [`--author=${author}`]),
      ]
      const id = await said(ctx, 'commit', ...notes, name, full)
      return { Id: id.replace(/^sha256:/, ''), Image: full }
    },
  }),
}
