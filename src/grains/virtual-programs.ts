// Parses the output of detection programs. Each parser returns its finding, an empty one if nothing was detected, or
// undefined to continue with the next program.

export interface Virtual {
  virtual: string
  subtype?: string
}

type Finding = Partial<Virtual>

const container = (subtype: string): Finding => ({ virtual: 'container', subtype })

const AS_IS = new Set(['qemu', 'kvm', 'oracle', 'xen', 'bochs', 'chroot', 'uml', 'systemd-nspawn'])

export function fromDetectVirt(output: string): Finding | undefined {
  if (AS_IS.has(output)) return { virtual: output }
  if (output.includes('vmware')) return { virtual: 'VMware' }
  if (output.includes('microsoft')) return { virtual: 'VirtualPC' }
  if (output.includes('lxc')) return container('LXC')
  if (output.includes('podman')) return container('Podman')
  if (output.includes('docker')) return container('Docker')
  if (output.includes('amazon')) return { virtual: 'Nitro', subtype: 'Amazon EC2' }
  return undefined
}

const VIRT_WHAT: ReadonlyArray<[is: (line: string) => boolean, finding: (line: string) => Finding]> = [
  [(line) => ['kvm', 'qemu', 'uml', 'xen'].includes(line), (line) => ({ virtual: line })],
  [(line) => line.includes('lxc'), () => container('LXC')],
  [(line) => line.includes('docker'), () => container('Docker')],
  [(line) => line.includes('vmware'), () => ({ virtual: 'VMware' })],
  [(line) => line.includes('parallels'), () => ({ virtual: 'Parallels' })],
  [(line) => line.includes('nutanix'), () => ({ virtual: 'kvm', subtype: 'Nutanix AHV' })],
  [(line) => line.includes('hyperv'), () => ({ virtual: 'HyperV' })],
  [(line) => line === 'ibm_power-kvm', () => ({ virtual: 'kvm' })],
  [(line) => line === 'ibm_power-lpar_shared', () => ({ virtual: 'LPAR', subtype: 'shared' })],
  [(line) => line === 'ibm_power-lpar_dedicated', () => ({ virtual: 'LPAR', subtype: 'dedicated' })],
]

export function fromVirtWhat(output: string): Finding {
  for (const line of output.split('\n')) {
    const known = VIRT_WHAT.find(([is]) => is(line))
    if (known) return known[1](line)
  }
  return {}
}

export function fromDmidecode(output: string): Finding {
  const says = (...texts: string[]): boolean => texts.every((text) => output.includes(text))
  if (says('BHYVE')) return { virtual: 'bhyve' }
  if (says('Manufacturer: oVirt')) return { virtual: 'kvm', subtype: 'ovirt' }
  if (says('Product Name: RHEV Hypervisor')) return { virtual: 'kvm', subtype: 'rhev' }
  if (says('VirtualBox')) return { virtual: 'VirtualBox' }
  if (says('VMware')) return { virtual: 'VMware' }
  if (says(': Microsoft', 'Virtual Machine')) return { virtual: 'VirtualPC' }
  if (says('Parallels Software')) return { virtual: 'Parallels' }
  if (says('Manufacturer: Google')) return { virtual: 'kvm' }
  if (says('Manufacturer: Nutanix', 'Product Name: AHV')) return { virtual: 'kvm', subtype: 'Nutanix AHV' }
  const isKvm = /Vendor: (?:SeaBIOS|QEMU|Bochs)|Manufacturer: (?:QEMU|Bochs)/.test(output)
  return isKvm ? { virtual: 'kvm' } : {}
}

export function fromLspci(output: string): Finding {
  const model = output.toLowerCase()
  if (model.includes('vmware')) return { virtual: 'VMware' }
  if (model.includes('virtualbox')) return { virtual: 'VirtualBox' }
  return model.includes('qemu') || model.includes('virtio') ? { virtual: 'kvm' } : {}
}

/** macOS; the later of several vendors counts. */
export function fromSystemProfiler(output: string): Finding {
  const profile = output.toLowerCase()
  if (profile.includes('virtualbox')) return { virtual: 'VirtualBox' }
  if (profile.includes('vmware') || profile.includes('0x15ad')) return { virtual: 'VMware' }
  return profile.includes('parallels') || profile.includes('0x1ab8') ? { virtual: 'Parallels' } : {}
}
