import net from 'node:net';

/** A way to a server that can fall silent: connections stay open and nothing comes through, as where a cable is pulled. */
export class SilentNetwork {
  private isSilent = false;
  private readonly sockets = new Set<net.Socket>();
  private readonly server: net.Server;

  private constructor(port: number) {
    this.server = net.createServer(near => {
      this.track(near);
      if (this.isSilent) return;
      const far = this.track(net.connect(port, '127.0.0.1'));
      for (const [from, to] of [
        [near, far],
        [far, near],
      ] as const) {
        from.on('data', data => {
          if (!this.isSilent) to.write(data);
        });
        from.on('close', () => {
          if (!this.isSilent) to.destroy();
        });
      }
    });
  }

  /** @param port of the server on this machine */
  static async open(port: number): Promise<SilentNetwork> {
    const network = new SilentNetwork(port);
    await new Promise<void>(resolve => network.server.listen(0, '127.0.0.1', resolve));
    return network;
  }

  get port(): number {
    return (this.server.address() as net.AddressInfo).port;
  }

  fallSilent(): void {
    this.isSilent = true;
  }

  /** For connections that are made from now on. */
  resume(): void {
    this.isSilent = false;
  }

  async close(): Promise<void> {
    const closed = new Promise(resolve => this.server.close(resolve));
    for (const it of this.sockets) it.destroy();
    await closed;
  }

  private track(socket: net.Socket): net.Socket {
    this.sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => this.sockets.delete(socket));
    return socket;
  }
}
