import numbersByBrand from './testCardNumbers.json';

/**
 * Card numbers that payment providers publish for tests of a checkout. They pay nothing, and no person owns them.
 * Sources: https://docs.stripe.com/testing, https://developer.paypal.com/braintree/docs/reference/general/testing,
 * https://developer.paypal.com/docs/payflow/payflow-pro/payflow-pro-testing/,
 * https://docs.adyen.com/development-resources/test-cards-and-credentials/test-card-numbers
 */
const testCardNumbers: ReadonlySet<string> = new Set(Object.values(numbersByBrand).flat());

/**
 * Stripe's numbers that simulate a decline, a country or a bank's check all begin with 400000; Adyen's for the sorts of Visa
 * card are 4000, two digits and zeros.
 */
const testCardPattern = /^(?:400000\d{10}|4000\d{2}0{9}\d)$/u;

/** @param digits of a card, without spaces */
export function isTestCardNumber(digits: string): boolean {
  return testCardNumbers.has(digits) || testCardPattern.test(digits);
}
