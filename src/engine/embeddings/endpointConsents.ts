import { parseEndpointAddress } from './endpointAddress.js';
import { parseEndpointState, withConsent, type EndpointRecords } from './endpointRecords.js';

/** The addresses that a person allowed texts to be sent to, whatever the settings name now. */
export class EndpointConsents {
  constructor(private readonly records: Pick<EndpointRecords, 'readState' | 'updateState'>) {}

  /** URLs, most recently allowed first. */
  async list(): Promise<readonly string[]> {
    return parseEndpointState(await this.records.readState()).allowed;
  }

  /**
   * @param address as in the settings, or as `list` returns it
   * @returns the URL that nothing is sent to any more; undefined if it was not allowed
   */
  async forbid(address: string): Promise<string | undefined> {
    const url = parseEndpointAddress(address)?.url;
    if (url === undefined || !(await this.list()).includes(url)) return undefined;
    const consent = { url, isAllowed: false };
    await this.records.updateState(before => withConsent(parseEndpointState(before), consent), consent);
    return url;
  }
}
