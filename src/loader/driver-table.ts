// Made by tools/plugin-table.ts; run it after a driver of salt-cloud was added or removed.
import type { CloudDriver } from '../sdk/mod.ts'

export const driverTable: Readonly<Record<string, () => Promise<{ default: CloudDriver }>>> = {
  azurearm: () => import('../library/cloud/azurearm/driver.ts'),
  digitalocean: () => import('../library/cloud/digitalocean/driver.ts'),
  ec2: () => import('../library/aws/ec2/driver.ts'),
  gce: () => import('../library/cloud/gce/driver.ts'),
  hetzner: () => import('../library/cloud/hetzner/driver.ts'),
  nspawn: () => import('../library/cloud/nspawn/driver.ts'),
  openstack: () => import('../library/cloud/openstack/driver.ts'),
  proxmox: () => import('../library/cloud/proxmox/driver.ts'),
  saltify: () => import('../library/cloud/saltify/driver.ts'),
}
