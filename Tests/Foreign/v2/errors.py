"""The enhanced error object, and the table of its codes (12)."""

NONE_400 = """
    invalid_parameter_service_provider invalid_parameter_mvpd invalid_parameter_code
    invalid_parameter_resources invalid_parameter_redirect_url invalid_parameter_partner
    invalid_parameter_saml_response invalid_header_device_info invalid_header_device_identifier
    invalid_header_identity_for_temporary_access invalid_header_content_type invalid_header_identity
    invalid_header_pfs_permission_access_not_present invalid_header_pfs_permission_access_not_determined
    invalid_header_pfs_permission_access_not_granted invalid_header_pfs_provider_id_not_determined
    invalid_header_pfs_provider_id_mismatch invalid_header_pfs_provider_info_expired
    invalid_integration invalid_authentication_session"""
NONE_403 = """
    preauthorization_denied_by_mvpd authorization_denied_by_mvpd
    authorization_denied_by_parental_controls authorization_denied_by_degradation_rule"""
CONFIGURATION_500 = """
    invalid_configuration_temporary_access invalid_configuration_platform_services
    invalid_configuration_mvpd_platform_boarding_status"""
AUTHENTICATION_403 = """
    authenticated_profile_missing authenticated_profile_expired authenticated_profile_invalidated
    temporary_access_duration_limit_exceeded temporary_access_resources_limit_exceeded"""
LOGIN_AGAIN_403 = """
    authorization_denied_by_hba_policies authorization_denied_by_session_invalidated
    identity_not_recognized_by_mvpd"""
RETRY_403 = "network_received_error network_connection_timeout maximum_execution_time_exceeded"

TABLE = [
    (NONE_400, 400, "none"),
    (NONE_403, 403, "none"),
    ("internal_server_error", 500, "none"),
    ("too_many_resources", 403, "configuration"),
    (CONFIGURATION_500, 500, "configuration"),
    ("invalid_access_token_service_provider invalid_access_token_client_application",
     401, "application-registration"),
    (AUTHENTICATION_403, 403, "authentication"),
    (LOGIN_AGAIN_403, 403, "authentication"),
    (RETRY_403, 403, "retry"),
]
CODES = {code: (status, action) for codes, status, action in TABLE for code in codes.split()}
# The codes with which a provider can deny a resource.
ITEM_CODES = " ".join((NONE_403, LOGIN_AGAIN_403, RETRY_403)).split()

MESSAGES = {
    "invalid_integration":
        "The integration between the service provider and the provider does not exist or is disabled.",
    "authenticated_profile_missing": "There is no authenticated profile for this provider.",
}


class Refusal(Exception):
    """Ends a request with an enhanced error as its whole answer."""

    def __init__(self, code, status=None):
        super().__init__(code)
        self.code, self.status = code, status or CODES[code][0]

    def body(self):
        return enhanced(self.code, status=self.status)


class UnusableSession(Exception):
    """Ends a browser's request with an HTML page instead of JSON."""


def enhanced(code, details=None, status=None):
    """The error object. It has no `trace`, as in several observed answers (18)."""
    usual, action = CODES[code]
    value = {"action": action, "status": status or usual, "code": code,
             "message": MESSAGES.get(code, code.replace("_", " ").capitalize() + "."),
             "helpUrl": "https://help.demo.test/errors/" + code}
    if details:
        value["details"] = details
    return value
