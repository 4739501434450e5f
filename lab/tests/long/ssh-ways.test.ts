// Ways to a target: as a user with sudo, with and without a password, through a jump host, and to a root that has nothing but busybox and
// dropbear. Each time the same tree leaves the same as salt-call on a twin.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { byItself, Controller, type Course, differences, leftovers, overSsh, ownTree } from '../../agentless.ts'
import { DAEMON_MOUNTS } from '../../fleet.ts'
import type { Host } from '../../host.ts'
import { Lab } from '../../lab.ts'
import { STOCK } from '../../stock.ts'

const TREE = ownTree('small')
const PASSWORD = 'correct horse'
const BOX = '/srv/box'
const BOX_PORT = 2222

/** The root of a small device: busybox and dropbear with the libraries it loads, and no other program. */
const MAKE_BOX = `
apt-get -q update
apt-get -q -y install --no-install-recommends busybox-static dropbear-bin
mkdir -p ${BOX}/bin ${BOX}/etc/dropbear ${BOX}/proc ${BOX}/dev ${BOX}/root ${BOX}/tmp ${BOX}/var/lib
chmod 1777 ${BOX}/tmp
cp /bin/busybox ${BOX}/bin/busybox
chroot ${BOX} /bin/busybox --install -s /bin
cp /usr/sbin/dropbear ${BOX}/bin/dropbear
for library in $(ldd /usr/sbin/dropbear | grep -o '/[^ ]*'); do
  mkdir -p ${BOX}$(dirname $library)
  cp $library ${BOX}$library
done
echo 'root:x:0:0:root:/root:/bin/sh' > ${BOX}/etc/passwd
echo 'root:x:0:' > ${BOX}/etc/group
echo /bin/sh > ${BOX}/etc/shells
mount --bind /proc ${BOX}/proc
mount --rbind /dev ${BOX}/dev
dropbearkey -t ed25519 -f ${BOX}/etc/dropbear/key
chroot ${BOX} /bin/dropbear -R -p ${BOX_PORT} -r /etc/dropbear/key >/dev/null 2>&1
`

let lab: Lab
let controller: Controller
let local: Course
let [twin, target, jump, box]: Host[] = []

beforeAll(async () => {
  const stock = { ...STOCK, names: [...STOCK.names, 'busybox-static', 'dropbear-bin'] }
  lab = await Lab.open({ stock, mounts: DAEMON_MOUNTS })
  const [host, other] = await lab.boot('control', 'twin')
  twin = other
  ;[target, jump, box] = await lab.bootBare('target', 'jump', 'box')
  controller = await Controller.on(host!)
  for (const one of [target!, jump!]) await controller.meet(one)
  local = await byItself('small', twin!, TREE)
})

afterAll(() => lab?.close())

/** Names, modes, owners and contents of a folder. */
const listing = (host: Host, folder: string): Promise<string> =>
  host.run([
    'sh',
    '-ec',
    `cd ${folder}; find . -printf '%p %m %U:%G %l\\n' | sort; find . -type f -exec sha256sum {} + | sort`,
  ])

/** Make the target as it was before a run. */
const clear = (): Promise<string> => target!.run(['rm', '-rf', '/var/lib/small'])

async function expectSame(roster: object): Promise<void> {
  controller.write(TREE, { small: roster })
  const ssh = await overSsh(controller, 'small', target!, TREE)
  const lines = differences(ssh, local).filter(
    (line) => !/^(files|packages|services): (?!\/var\/lib\/small)/.test(line),
  )
  expect(lines).toEqual([])
  expect(await leftovers(target!)).toEqual([])
  await clear()
}

describe('a user with sudo', () => {
  beforeAll(async () => {
    await target!.run(['sh', '-ec', 'apt-get -q update && apt-get -q -y install sudo'])
    for (const [user, rule] of Object.entries({ deploy: 'NOPASSWD: ALL', ops: 'ALL' })) {
      await target!.run(['useradd', '--create-home', '--shell', '/bin/sh', user])
      await target!.run(['chpasswd'], { input: `${user}:${PASSWORD}\n` })
      target!.write(`/etc/sudoers.d/${user}`, `${user} ALL=(ALL) ${rule}\n`, 0o440)
      await controller.meet(target!, `/home/${user}`, user)
    }
  })

  it('applies the tree as root without a password', async () => {
    await expectSame({ host: target!.address, user: 'deploy', sudo: true })
  })

  it('applies the tree as root with the password that sudo asks for', async () => {
    await expectSame({ host: target!.address, user: 'ops', sudo: true, passwd: PASSWORD })
  })

  it('is told in one line that the password is wrong, and nothing is applied', async () => {
    controller.write(TREE, { small: { host: target!.address, user: 'ops', sudo: true, passwd: 'wrong' } })
    const { code, stdout, stderr } = await controller.host.attempt(['salt-ssh', 'small', 'state.apply', 'small'])
    expect(code).not.toBe(0)
    expect(`${stdout}${stderr}`).toMatch(/sudo|password/i)
    expect((await target!.attempt(['test', '-e', '/var/lib/small'])).code).toBe(1)
  })
})

describe('a target behind a jump host', () => {
  it('is reached as ssh_config says', async () => {
    target!.write('/etc/ssh/sshd_config.d/lab.conf', `AllowUsers root@${jump!.address}\n`)
    await target!.run(['systemctl', 'restart', 'ssh'])
    controller.write(TREE, { small: { host: target!.address } })
    const straight = await controller.host.attempt(['salt-ssh', 'small', 'test.ping'])
    expect(straight.code).not.toBe(0)
    controller.host.write(
      '/root/.ssh/config',
      `Host ${target!.address}\n  ProxyJump root@${jump!.address}\nHost ${jump!.address}\n  IdentityFile /etc/salt/pki/master/ssh/salt-ssh.rsa\n`,
    )
    await expectSame({ host: target!.address })
  })
})

describe('a root of busybox and dropbear', () => {
  it('becomes what the tree says', async () => {
    await box!.run(['sh', '-ec', MAKE_BOX])
    box!.write(
      `${BOX}/root/.ssh/authorized_keys`,
      controller.host.read('/etc/salt/pki/master/ssh/salt-ssh.rsa.pub'),
      0o600,
    )
    await box!.run(['chmod', '-R', 'go=', `${BOX}/root`])
    const shown = await box!.run(['dropbearkey', '-y', '-f', `${BOX}/etc/dropbear/key`])
    controller.trust(`[${box!.address}]:${BOX_PORT}`, /^ssh-ed25519 .*$/m.exec(shown)![0])
    controller.write(TREE, { box: { host: box!.address, port: BOX_PORT } })
    const ssh = await overSsh(controller, 'box', box!, TREE)
    expect(differences({ ...ssh, after: local.after }, local)).toEqual([])
    expect(await listing(box!, `${BOX}/var/lib/small`)).toBe(await listing(twin!, '/var/lib/small'))
    expect(await controller.ask('box', 'grains.get', 'shell')).toBe('/bin/sh')
  })
})
