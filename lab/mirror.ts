// A host that stands in for PostgreSQL's own package site: apt.postgresql.org with a signed repository and
// www.postgresql.org with the key, both over TLS with a certificate of the lab's own authority.
import { symlinkSync } from 'node:fs'
import type { Host } from './host.ts'
import type { Lab } from './lab.ts'
import { packagesIndex, releaseOf } from './packages.ts'
import { MOUNTS } from './root.ts'

const NAMES = ['apt.postgresql.org', 'www.postgresql.org']
const WEB = '/srv/www'
const REPOSITORY = `${WEB}/pub/repos/apt`
const KEY = `${WEB}/media/keys/ACCC4CF8.asc`
const AUTHORITY = '/srv/tls/authority.crt'

const SITE = `
server {
    listen 443 ssl default_server;
    ssl_certificate /srv/tls/site.crt;
    ssl_certificate_key /srv/tls/site.key;
    root ${WEB};
}
`

const MAKE_CERTIFICATES = `
cd /srv/tls
openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj '/CN=Lab' -keyout authority.key -out authority.crt
openssl req -newkey rsa:2048 -nodes -subj '/CN=${NAMES[0]}' -keyout site.key -out site.csr
echo 'subjectAltName=${NAMES.map((name) => `DNS:${name}`).join(',')}' > names
openssl x509 -req -in site.csr -CA authority.crt -CAkey authority.key -CAcreateserial -days 2 -extfile names -out site.crt
`

const SIGN = `
export GNUPGHOME=/srv/gnupg
mkdir -m 700 $GNUPGHOME
gpg --batch --passphrase '' --quick-generate-key 'Lab <lab@example.com>' rsa2048 sign never
gpg --batch --armor --export > ${KEY}
for release in ${REPOSITORY}/dists/*/Release; do
  gpg --batch --clearsign --output "$(dirname "$release")/InRelease" "$release"
done
`

/** Boots the site, offering from the lab's packages those whose names match. */
export async function bootMirror(lab: Lab, offered: RegExp): Promise<Host> {
  const [mirror] = (await lab.boot('mirror')) as [Host]
  await mirror.run(['sh', '-ec', 'apt-get -q update && apt-get -q -y install nginx'])
  const { suite, architecture } = lab.debian
  const index = await packagesIndex(lab.packages, { prefix: 'pool/', offered })
  const folder = `${REPOSITORY}/dists/${suite}-pgdg`
  const path = `main/binary-${architecture}/Packages`
  mirror.write(`${folder}/${path}`, index)
  const about = { Origin: 'apt.postgresql.org', Suite: `${suite}-pgdg`, Codename: `${suite}-pgdg`, Components: 'main' }
  mirror.write(`${folder}/Release`, releaseOf({ [path]: index }, { ...about, Architectures: architecture }))
  symlinkSync(MOUNTS.packages, mirror.path(`${REPOSITORY}/pool`))
  mirror.write(KEY, '')
  mirror.write('/srv/tls/serial', '')
  await mirror.run(['sh', '-ec', `(${MAKE_CERTIFICATES})\n${SIGN}`])
  mirror.write('/etc/nginx/sites-enabled/default', SITE)
  await mirror.run(['systemctl', 'restart', 'nginx'])
  return mirror
}

/** Makes a host find the site by its names and trust it. */
export async function introduce(host: Host, mirror: Host): Promise<void> {
  host.write('/etc/hosts', `${host.read('/etc/hosts')}${mirror.address} ${NAMES.join(' ')}\n`)
  host.write('/usr/local/share/ca-certificates/lab.crt', mirror.read(AUTHORITY))
  await host.run(['update-ca-certificates'])
}
