// `seed`: installs minions in disk images, block devices and root directories before they are started.
import { randomUUID } from 'node:crypto'
import { join } from 'node:path/posix'
import { failure, type Value } from '../../../data/mod.ts'
import { arg, type Bound, changes, defineModule, type FunctionContext, ret } from '../../../sdk/mod.ts'
import { keyFolder, minionFiles } from './files.ts'
import { attach } from './image.ts'
import { inside, writeInside } from './inside.ts'
import { copyOwn, hasMinion, installInto, ownMinion } from './install.ts'

const given = {
  config: arg.dict('Options of the minion. Without `master` it gets the master of this minion', { optional: true }),
  approve_key: arg.flag('Ask the master to accept the key that is made', { default: true }),
  pub_key: arg.text('Public key of the minion: its text, or the path of its file', { optional: true }),
  priv_key: arg.text('Private key of the minion: its text, or the path of its file', { optional: true, secret: true }),
}

const applyArgs = {
  path: arg.text('Directory, block device or disk image'),
  id_: arg.text('Id of the minion', { optional: true }),
  config: given.config,
  approve_key: given.approve_key,
  install: arg.flag('Install this minion if the image has none', { default: true }),
  prep_install: arg.ignored('Salt has it no more'),
  pub_key: given.pub_key,
  priv_key: given.priv_key,
  mount_point: arg.text('Directory to mount a disk image on. Default: a new one', { optional: true }),
}

async function apply(ctx: FunctionContext, args: Bound<typeof applyArgs>): Promise<boolean | string> {
  if (!(await ctx.host.stat(args.path))) return `${args.path} does not exist`
  const path = await ctx.host.realPath(args.path)
  const { root, detach } = await attach(ctx, path, args.mount_point)
  try {
    return await seedRoot(ctx, root, args)
  } finally {
    await detach()
  }
}

async function seedRoot(ctx: FunctionContext, root: string, args: Bound<typeof applyArgs>): Promise<boolean> {
  const { id_: id, config, approve_key: approve, pub_key, priv_key } = args
  const isThere = await hasMinion(ctx, root)
  if (!isThere && !args.install) {
    throw failure(`${root} has no minion, and install is False: nothing was done`)
  }
  if (!isThere) await installInto(ctx, root, await ownMinion(ctx))
  const files = await minionFiles(ctx, { config, id, approve, pub_key, priv_key })
  const folder = keyFolder(files.config)
  await writeInside(ctx, root, { path: join(folder, 'minion.pem'), content: files.privatePem, mode: 0o400 })
  await writeInside(ctx, root, { path: join(folder, 'minion.pub'), content: files.publicPem, mode: 0o644 })
  await writeInside(ctx, root, { path: '/etc/salt/minion', content: files.text, mode: 0o640 })
  return true
}

const configArgs = {
  config: given.config,
  tmp: arg.text('Directory of the files. Default: a new one', { optional: true }),
  id_: applyArgs.id_,
  approve_key: given.approve_key,
  pub_key: given.pub_key,
  priv_key: given.priv_key,
}

async function mkconfig(ctx: FunctionContext, args: Bound<typeof configArgs>): Promise<Map<Value, Value>> {
  const { config, id_: id, approve_key: approve, pub_key, priv_key } = args
  const files = await minionFiles(ctx, { config, id, approve, pub_key, priv_key })
  const folder = args.tmp ?? (await ctx.host.tempDirectory({ prefix: 'seed-' }))
  await ctx.host.makeDirectory(folder, { parents: true, mode: 0o700 })
  const written = [
    ['config', 'minion', files.text],
    ['pubkey', 'minion.pub', files.publicPem],
    ['privkey', 'minion.pem', files.privatePem],
  ] as const
  for (const [, name, content] of written) await ctx.host.write(join(folder, name), content, { mode: 0o600 })
  return new Map<Value, Value>(written.map(([key, name]) => [key, join(folder, name)]))
}

/** A script that installs the files beside it. `-c DIR` names a folder with the files of `seed.mkconfig`. */
const SCRIPT = `#!/bin/sh
set -e
here=$(cd "$(dirname "$0")" && pwd)
files=
while getopts c: option; do
  case $option in
    c) files=$OPTARG ;;
    *) exit 64 ;;
  esac
done
mkdir -p /usr/local/bin /etc/salt/pki/minion
if [ -d "$here/dist" ]; then
  rm -rf /opt/brine/dist
  mkdir -p /opt/brine
  cp -R "$here/dist" /opt/brine/dist
  for name in salt-minion salt-call; do
    printf '#!/bin/sh\\nexec /opt/brine/dist/node /opt/brine/dist/%s.js "$@"\\n' "$name" > "/usr/local/bin/$name"
    chmod 755 "/usr/local/bin/$name"
  done
else
  cp "$here/salt-minion" /usr/local/bin/salt-minion
  chmod 755 /usr/local/bin/salt-minion
  ln -sf salt-minion /usr/local/bin/salt-call
fi
if [ -n "$files" ]; then
  umask 077
  cp "$files/minion" /etc/salt/minion
  cp "$files/minion.pem" "$files/minion.pub" /etc/salt/pki/minion/
fi
`

async function prepare(ctx: FunctionContext, mpt: string): Promise<Value[]> {
  if ((await ctx.host.stat(mpt))?.type !== 'directory') throw failure(`${mpt} is no directory`)
  const own = await ownMinion(ctx)
  const folder = join('/tmp', randomUUID())
  const place = await inside(ctx, mpt, folder)
  await ctx.host.makeDirectory(place, { parents: true, mode: 0o700 })
  await copyOwn(ctx, own, place)
  const script = join(place, 'bootstrap-salt.sh')
  await ctx.host.write(script, SCRIPT, { mode: 0o700 })
  return [script, folder]
}

export default defineModule({
  name: 'seed',
  doc: 'Put minions into disk images and root directories. Nothing is downloaded: the minion is a copy of this one.',
  functions: {
    apply: changes({
      doc:
        'Mount a disk image, a block device or a directory, install this minion if there is none, and write configuration and keys. ' +
        'Disk images need the program guestmount, or root and losetup for raw ones.',
      args: applyArgs,
      returns: ret.any('True, or a text if the path does not exist'),
      example: "seed.apply /srv/images/web1.img web1 config=\"{'master': 'salt.example.com'}\"",
      run: apply,
    }),
    mkconfig: changes({
      doc: 'Write the configuration and the keys of a minion into a directory. Return their paths.',
      args: configArgs,
      returns: ret.dict('Paths by `config`, `pubkey` and `privkey`'),
      example: 'seed.mkconfig id_=web1 tmp=/root/web1',
      run: mkconfig,
    }),
    prep_bootstrap: changes({
      doc: 'Copy this minion, and a script that installs it, into a new folder below /tmp of a root directory.',
      args: { mpt: arg.text('Root directory') },
      returns: ret.list('Path of the script, and path of the folder inside of the root'),
      example: 'seed.prep_bootstrap /mnt/web1',
      run: (ctx, { mpt }) => prepare(ctx, mpt),
    }),
  },
})
