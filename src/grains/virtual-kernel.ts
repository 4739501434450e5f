// Virtualization according to files of the kernel, after the detection programs. Later findings override earlier ones,
// so containers come last: they run on virtual machines too.
import type { Dict, Value } from '../data/mod.ts'
import type { Machine } from './machine.ts'
import type { Virtual } from './virtual-programs.ts'

export async function refineOnLinux(machine: Machine, found: Virtual, productName: string): Promise<void> {
  await chroot(machine, found)
  await openvz(machine, found)
  await xen(machine, found, productName)
  if ((await machine.text('/proc/cpuinfo'))?.includes('QEMU Virtual CPU')) found.virtual = 'kvm'
  await product(machine, found)
  await container(machine, found)
}

async function chroot(machine: Machine, found: Virtual): Promise<void> {
  const [own, init] = await Promise.all([machine.stat('/'), machine.stat('/proc/1/root/.')])
  if (own && init && (own.inode !== init.inode || own.device !== init.device)) found.subtype = 'chroot'
}

async function openvz(machine: Machine, found: Virtual): Promise<void> {
  if (await machine.isDirectory('/proc/vz')) {
    if (await machine.isFile('/proc/vz/version')) found.virtual = 'openvzhn'
    else if (await machine.isFile('/proc/vz/veinfo')) found.virtual = 'openvzve'
  }
  const id = /^envID:\s+(\d+)$/m.exec((await machine.text('/proc/self/status')) ?? '')?.[1]
  if (id !== undefined) found.virtual = Number(id) === 0 ? 'openvzhn' : 'openvzve'
}

async function xen(machine: Machine, found: Virtual, productName: string): Promise<void> {
  const places = await Promise.all(
    ['/proc/sys/xen', '/sys/bus/xen', '/proc/xen'].map((path) => machine.isDirectory(path)),
  )
  if (!places.includes(true)) return
  const subtype = await xenSubtype(machine, productName)
  if (subtype !== undefined) found.subtype = subtype
  if (found.subtype?.toLowerCase().includes('dom')) found.virtual = 'xen'
}

async function xenSubtype(machine: Machine, productName: string): Promise<string | undefined> {
  if (await machine.isFile('/proc/xen/xsd_kva')) return 'Xen Dom0'
  if (productName === 'HVM domU') return 'Xen HVM DomU'
  const capabilities = await machine.text('/proc/xen/capabilities')
  if (capabilities !== undefined) return capabilities.includes('control_d') ? 'Xen Dom0' : 'Xen PV DomU'
  if (!(await machine.isDirectory('/sys/bus/xen'))) return undefined
  const isGuest =
    (await machine.isDirectory('/sys/bus/xen/drivers/xenconsole')) ||
    (await machine.output('dmesg')).toLowerCase().includes('xen:')
  return isGuest ? 'Xen PV DomU' : undefined
}

async function product(machine: Machine, found: Virtual): Promise<void> {
  const name = (await machine.text('/sys/devices/virtual/dmi/id/product_name')) ?? ''
  if (name.includes('VirtualBox')) found.virtual = 'VirtualBox'
  else if (name.includes('RHEV Hypervisor')) Object.assign(found, { virtual: 'kvm', subtype: 'rhev' })
  else if (name.includes('oVirt Node')) Object.assign(found, { virtual: 'kvm', subtype: 'ovirt' })
  else if (name.includes('Google')) found.virtual = 'gce'
  else if (name.includes('BHYVE')) found.virtual = 'bhyve'
}

async function container(machine: Machine, found: Virtual): Promise<void> {
  const groups = (await machine.text('/proc/1/cgroup')) ?? ''
  if (groups.includes(':/lxc/')) Object.assign(found, { virtual: 'container', subtype: 'LXC' })
  else if (groups.includes(':/kubepods/')) found.subtype = 'kubernetes'
  else if (groups.includes(':/libpod_parent/')) found.subtype = 'libpod'
  else if (/:\/(?:system\.slice\/docker|docker\/|docker-ce\/)/.test(groups)) {
    Object.assign(found, { virtual: 'container', subtype: 'Docker' })
  }
  if ((await machine.text('/proc/1/environ'))?.includes('container=lxc')) {
    Object.assign(found, { virtual: 'container', subtype: 'LXC' })
  }
}

export async function refineOnFreebsd(machine: Machine, found: Virtual): Promise<void> {
  const kenv = await machine.which('kenv')
  const sysctl = await machine.which('sysctl')
  if (kenv !== undefined) {
    const product = await machine.output(kenv, 'smbios.system.product')
    const maker = await machine.output(kenv, 'smbios.system.maker')
    if (product.startsWith('VMware')) found.virtual = 'VMware'
    if (product.startsWith('VirtualBox')) found.virtual = 'VirtualBox'
    if (maker.startsWith('Xen')) Object.assign(found, { virtual: 'xen', subtype: `${maker} ${product}` })
    if (maker.startsWith('Microsoft') && product.startsWith('Virtual')) found.virtual = 'VirtualPC'
    if (maker.startsWith('OpenStack')) found.virtual = 'OpenStack'
    if (maker.startsWith('Bochs')) found.virtual = 'kvm'
    if (maker.startsWith('Amazon EC2')) found.virtual = 'Nitro'
  }
  if (sysctl === undefined) return
  const ask = (name: string): Promise<string> => machine.output(sysctl, '-n', name)
  if ((await ask('hw.hv_vendor')).includes('bhyve')) found.virtual = 'bhyve'
  else if ((await ask('hw.model')).includes('QEMU Virtual CPU')) found.virtual = 'kvm'
  if ((await ask('security.jail.jailed')) === '1') found.subtype = 'jail'
}

/** Names by bit. */
const XEN_FEATURES: ReadonlyArray<[bit: number, name: string]> = [
  [0, 'writable_page_tables'],
  [1, 'writable_descriptor_tables'],
  [2, 'auto_translated_physmap'],
  [3, 'supervisor_mode_kernel'],
  [4, 'pae_pgdir_above_4gb'],
  [5, 'mmu_pt_update_preserve_ad'],
  [7, 'gnttab_map_avail_bits'],
  [8, 'hvm_callback_vector'],
  [9, 'hvm_safe_pvclock'],
  [10, 'hvm_pirqs'],
  [11, 'dom0'],
  [12, 'grant_map_identity'],
  [13, 'memory_op_vnode_supported'],
  [14, 'ARM_SMCCC_supported'],
]

/** Version and features of the hypervisor, on Xen alone. */
export async function hypervisorGrains(machine: Machine, virtual: string): Promise<Dict> {
  const grains: Dict = new Map<Value, Value>()
  if (!virtual.includes('xen')) return grains
  const read = async (name: string): Promise<string | undefined> =>
    (await machine.text(`/sys/hypervisor/${name}`))?.trim()
  const [major, minor, extra] = await Promise.all(['version/major', 'version/minor', 'version/extra'].map(read))
  if (major !== undefined && minor !== undefined && extra !== undefined) {
    grains.set('virtual_hv_version', `${major}.${minor}${extra}`)
    grains.set('virtual_hv_version_info', [major, minor, extra])
  }
  const features = await read('properties/features')
  if (features !== undefined) {
    const bits = Number.parseInt(features, 16)
    grains.set('virtual_hv_features', features)
    const names = XEN_FEATURES.filter(([bit]) => (bits & (1 << bit)) !== 0).map(([, name]) => name)
    grains.set('virtual_hv_features_list', names)
  }
  return grains
}
