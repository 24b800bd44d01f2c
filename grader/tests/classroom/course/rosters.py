"""A roster of each program that makes them, as its documentation shows it."""

TABLE = "name,email,login,student id\nAnn Lee,ann@example.org,annl,1001\n"

CANVAS = """\
Student,ID,SIS User ID,SIS Login ID,Section,Lab 1 (900),Current Score
    Points Possible,,,,,100,(read only)
"Lee, Ann",77,1001,annl,Section 1,,0
"山田, 太郎",78,1002,taro@example.org,Section 1,,0
"Student, Test",99,,abc,Section 1,,
"""
MOODLE = """\
Identifier,Full name,ID number,Email address,Status,Grade,"Maximum Grade","Feedback comments"
Participant 501,Ann Lee,1001,ann@example.org,"Submitted for grading, 3 days late",-,100.00,
Participant 502,Łukasz Żółć,1002,lukasz@example.org,No submission,-,100.00,"a ""quoted"" one"
"""
PARTICIPANTS = (
    "First name,Last name,ID number,Email address,Groups\nAnn,Lee,1001,ann@example.org,\n"
)
GRADESCOPE = """\
First Name,Last Name,SID,Email,Role,Section
Ann,Lee,1001,ann@example.org,Student,A
Prof,Essor,,prof@example.org,Instructor,
Tea,Assistant,,ta@example.org,TA,
"""
AUTOLAB = "Semester,email,last_name,first_name,school\nF27,ann@example.org,Lee,Ann,SCS\n"
CLASSROOM50 = "username,first_name,last_name,email,section,github_id\nannl,Ann,Lee,,1,42\n"
GITHUB = 'identifier,github_username,github_id,name\n"Lee, Ann",annl,42,\n'
