import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What a registry says of a package, as its package.json does. */
interface PackageManifest {
  readonly name: string;
  readonly version: string;
  readonly scripts?: Readonly<Record<string, string>>;
}

/** A registry of npm packages on loopback, with one version of each. */
export class PackageRegistry {
  private readonly packages = new Map<string, { readonly manifest: PackageManifest; readonly archive: Buffer }>();
  private constructor(private readonly server: Server) {
    server.on('request', ({ url = '' }, response) => {
      const [name, isArchive] = [decodeURIComponent(url.slice(1)).replace(/\.tgz$/u, ''), url.endsWith('.tgz')];
      const found = this.packages.get(name);
      if (found === undefined) response.writeHead(404).end('{}');
      else if (isArchive) response.end(found.archive);
      else response.end(JSON.stringify(this.describe(found.manifest)));
    });
  }

  static async start(): Promise<PackageRegistry> {
    const server = createServer();
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    return new PackageRegistry(server);
  }

  get address(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** @param archive path of the packed package */
  add(manifest: PackageManifest, archive: string): void {
    this.packages.set(manifest.name, { manifest, archive: readFileSync(archive) });
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  private describe(manifest: PackageManifest): object {
    const { name, version, scripts } = manifest;
    const dist = { tarball: `${this.address}/${name}.tgz` };
    const versions = { [version]: { ...manifest, hasInstallScript: scripts?.postinstall !== undefined, dist } };
    return { name, 'dist-tags': { latest: version }, versions };
  }
}
